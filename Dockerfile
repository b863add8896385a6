# A run as a web service:
#   docker build -t lsgnn .
#   docker run -p 127.0.0.1:8000:8000 -v "$PWD/my-run:/run-folder" -e LSGNN_TOKEN lsgnn
FROM python:3.12-slim
WORKDIR /opt/lsgnn
COPY pyproject.toml constraints.txt README.md LICENSE ./
COPY src ./src
# torch first, as its CPU build: the default one brings gigabytes for GPUs
RUN pip install --no-cache-dir "$(grep '^torch==' constraints.txt)" --index-url https://download.pytorch.org/whl/cpu \
 && pip install --no-cache-dir -c constraints.txt '.[serve]' \
 && useradd --create-home --uid 1000 lsgnn
USER lsgnn
EXPOSE 8000
HEALTHCHECK CMD ["python", "-c", "from urllib.request import urlopen; urlopen('http://127.0.0.1:8000/health', timeout=3)"]
ENTRYPOINT ["lsgnn", "serve"]
CMD ["/run-folder", "--host", "0.0.0.0"]
