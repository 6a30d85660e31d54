# Python 3.8 or newer: python3 library.py beach.jpg https://example.com/clip.mp4 film.mp4
import json, mimetypes, os, sys, time, uuid
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from urllib.parse import urlsplit

BASE = os.environ["POSTSHELF_URL"].rstrip("/") + "/v1"
TOKEN = os.environ["POSTSHELF_TOKEN"]
WORKSPACE = os.environ["POSTSHELF_WORKSPACE"]
LIBRARY = f"{BASE}/workspaces/{WORKSPACE}/media_contents"


class PostshelfError(Exception):
    def __init__(self, status, message, errors=None):
        super().__init__(f"{status}: {' '.join(sum(errors.values(), [])) if errors else message}")
        self.status, self.errors = status, errors or {}


def send(method, url, body=None, headers=None):
    """Sends bytes, or an iterable of them, and gives the JSON of the answer."""
    scheme, host, path, query, _ = urlsplit(url)
    connection = (HTTPSConnection if scheme == "https" else HTTPConnection)(host, timeout=60)
    try:
        try:
            connection.request(method, f"{path}?{query}", body, headers or {})
        except (BrokenPipeError, ConnectionResetError):
            pass  # A refusal comes before the whole file has gone.
        response = connection.getresponse()
        text = response.read()
    except (OSError, HTTPException) as error:
        raise PostshelfError(0, f"The service could not be reached: {error}") from error
    finally:
        connection.close()
    try:
        answer = json.loads(text or "{}")
    except ValueError:
        answer = {}  # What stands in front of the service may answer too.
    if response.status >= 300:
        raise PostshelfError(response.status, answer.get("message", response.reason), answer.get("errors"))
    return answer


def call(method, url, fields=None, body=None, headers=None):
    headers = {"Authorization": f"Bearer {TOKEN}", **(headers or {})}
    if fields is not None:
        body, headers["Content-Type"] = json.dumps(fields).encode(), "application/json"
    return send(method, url, body, headers)


def read(path):
    """The bytes of a file, a piece at a time, telling how far they are."""
    size, sent = os.path.getsize(path), 0
    with open(path, "rb") as file:
        while piece := file.read(65536):
            yield piece
            sent += len(piece)
            print(f"\r{100 * sent // size} %", end="", file=sys.stderr)


def upload(path):
    boundary = uuid.uuid4().hex
    name = os.path.basename(path).replace('"', "%22")
    head = f'--{boundary}\r\nContent-Disposition: form-data; name="files[]"; filename="{name}"\r\n\r\n'.encode()
    tail = f"\r\n--{boundary}--\r\n".encode()

    def body():
        yield head
        yield from read(path)
        yield tail

    length = len(head) + os.path.getsize(path) + len(tail)
    headers = {"Content-Type": f"multipart/form-data; boundary={boundary}", "Content-Length": str(length)}
    return call("POST", LIBRARY, body=body(), headers=headers)["data"][0]


def import_url(url, timeout=600):
    """Has the service fetch a file, and waits until it is there."""
    item = call("POST", LIBRARY, {"url": url})["data"][0]
    end, pause = time.monotonic() + timeout, 0.25
    while item["status"] == "processing":
        if time.monotonic() > end:
            raise TimeoutError(f"{url} was not there after {timeout} s.")
        time.sleep(pause)
        pause = min(1.5 * pause, 5)
        item = call("GET", f"{BASE}/media_contents/{item['id']}")["data"]
    if item["status"] == "failed":
        raise PostshelfError(0, item["error_message"])
    return item


def upload_presigned(path):
    """Sends up to 2 GB straight to the storage: without the token, which is not the storage's business."""
    size, mime = os.path.getsize(path), mimetypes.guess_type(path)[0]
    files = [{"name": os.path.basename(path), "size": size, "mime": mime}]
    issued = call("POST", f"{LIBRARY}/presign", {"files": files})["data"][0]
    headers = {**json.loads(issued["upload_headers"]), "Content-Length": str(size)}
    send(issued["upload_method"], issued["upload_url"], read(path), headers)
    return call("POST", f"{BASE}/media_contents/{issued['id']}/confirm")["data"]


def library():
    url = f"{LIBRARY}?per_page=100"
    while url:
        page = call("GET", url)
        yield from page["data"]
        url = page["links"]["next"]


def best_hour():
    heatmap = call("GET", f"{BASE}/analytics/best_times?workspace={WORKSPACE}")["data"]["heatmap"]
    cells = [(day, hour, value) for day, hours in heatmap.items() for hour, value in enumerate(hours)]
    return max(cells, key=lambda cell: cell[2])


try:
    path, url, large = sys.argv[1:4]
    print(f"uploaded {upload(path)['name']}")
    print(f"imported {import_url(url)['name']}")
    print(f"presigned {upload_presigned(large)['name']}")
    print(f"library of {sum(1 for item in library())}")
    day, hour, value = best_hour()
    # Too few posts to learn from: every cell is 0.
    print(f"best at {day} {hour}:00, {value:.2f}" if value > 0 else "no best times yet")
except PostshelfError as error:
    sys.exit(str(error))
