"""A server with faults on purpose, for the tests of FireLiteSync. On the loopback interface only."""
import gzip
import json
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlparse

lock = threading.Lock()
stored = {}  # bodies by path, as a server would have committed them
seen = {}  # how often each path was asked for


def patient(number):
    return {"resourceType": "Patient", "id": str(number)}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments):
        pass

    def answer(self, status, body=b"", **fields):
        if not isinstance(body, bytes):
            body = json.dumps(body).encode()
        self.send_response(status)
        for name, value in fields.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def drop(self):
        """Closes the connection without an answer."""
        self.close_connection = True
        self.connection.close()

    def handle_request(self):
        url = urlparse(self.path)
        query = {name: values[0] for name, values in parse_qs(url.query).items()}
        length = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(length)
        with lock:
            seen[url.path] = seen.get(url.path, 0) + 1
            count = seen[url.path]
        kind = url.path.split("/")[1]
        port = self.server.server_address[1]
        if kind == "echo":
            fields = {name.lower(): value for name, value in self.headers.items()}
            self.answer(200, {"method": self.command, "path": self.path, "fields": fields, "body": body.decode()})
        elif kind == "gzip":
            self.answer(200, gzip.compress(json.dumps(patient("zipped")).encode()), Content_Encoding="gzip")
        elif kind == "big":
            size, piece = int(query["bytes"]), b"x" * 65536
            self.send_response(200)
            self.send_header("Content-Length", str(size))
            self.end_headers()
            while size > 0:
                self.wfile.write(piece[: min(size, len(piece))])
                size -= len(piece)
        elif kind == "cut":
            self.send_response(200)
            self.send_header("Content-Length", "1000000")
            self.end_headers()
            self.wfile.write(b"x" * 1000)
            self.wfile.flush()
            self.drop()
        elif kind == "hang":
            time.sleep(float(query.get("seconds", "20")))
            self.drop()
        elif kind == "drop":
            self.drop()
        elif kind == "redirect":
            # The same server by another name is another origin.
            self.answer(307, Location=f"http://localhost:{port}/echo" if "other" in query else "/echo")
        elif kind == "cookie":
            self.answer(200, patient("cookie"), Set_Cookie="session=1; Path=/")
        elif kind == "times":
            # /times/503/2/name: fails twice, and then succeeds.
            status, failures = int(url.path.split("/")[2]), int(url.path.split("/")[3])
            if count > failures:
                self.answer(200, patient("late"))
            else:
                self.answer(status, {"resourceType": "OperationOutcome", "issue": []}, Retry_After="0")
        elif kind == "lying":
            links = [{"relation": "next", "url": f"http://localhost:{port}/pages"}]
            self.answer(200, {"resourceType": "Bundle", "type": "searchset", "link": links})
        elif kind == "pages":
            with lock:
                stored["/pages"] = dict(self.headers.items())
            self.answer(200, {"resourceType": "Bundle", "type": "searchset"})
        elif kind == "seen":
            with lock:
                self.answer(200, {"count": seen.get(query["path"], 0), "stored": stored.get(query["path"])})
        elif kind == "commits":
            # /commits/1/Patient/7: stores, and drops the first answer after the commit.
            losses = int(url.path.split("/")[2])
            with lock:
                stored[url.path] = body.decode()
            if count <= losses:
                self.drop()
            else:
                self.answer(200, body)
        else:
            self.answer(404)

    do_GET = do_POST = do_PUT = do_DELETE = do_PATCH = do_HEAD = handle_request


class Server(ThreadingHTTPServer):
    daemon_threads = True
    # A hundred clients that come at once wait for their turn: with the default of five, the system breaks connections.
    request_queue_size = 256


server = Server(("127.0.0.1", int(sys.argv[1])), Handler)
server.serve_forever()
