"""A small http server with bad manners, for the download tests. Prints its port, serves until its stdin closes.

The content is N bytes, byte i being (i * 2654435761 >> 24) & 255, so that the tests know it without asking.
Paths: /good (ranges, ETag), /noranges, /weak (ETag weak, Last-Modified), /plain (ranges, no validator),
/cut (ranges; each answer ends after 300000 bytes), /cutnoranges, /slow (100 kB every 20 ms), /changed (ranges, another
ETag on every request), /missing (404), /broken (500), /redirect (to /good), /loop, /wrongrange, /empty, /stall.
"""
import http.server
import sys
import threading
import time

SIZE = 1_000_000
BODY = bytes((i * 2654435761 >> 24) & 255 for i in range(SIZE))
CHUNK = 50_000


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    requests = 0

    def log_message(self, *args):
        pass

    def do_GET(self):
        Handler.requests += 1
        kind = self.path.lstrip("/").split("?")[0]
        simple = {"missing": 404, "broken": 500}
        if kind in simple:
            return self.finish_with(simple[kind], b"an explanation that is not the file")
        if kind in ("redirect", "loop"):
            return self.finish_with(302, b"moved", Location="/good" if kind == "redirect" else "/loop")
        if kind == "empty":
            return self.finish_with(200, b"")
        self.send_content(kind)

    def finish_with(self, status, body, **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def etag(self, kind):
        if kind == "weak":
            return 'W/"1"'
        return f'"{Handler.requests}"' if kind == "changed" else '"one"'

    def range_begin(self, kind):
        """The first byte to send, or None if the whole file is due."""
        asked = self.headers.get("Range")
        if asked is None or kind in ("noranges", "cutnoranges"):
            return None
        condition = self.headers.get("If-Range")
        stamp = "Mon, 01 Jan 2024 00:00:00 GMT" if kind == "weak" else self.etag(kind)
        if condition is not None and condition != stamp:
            return None
        return int(asked.removeprefix("bytes=").rstrip("-"))

    def send_content(self, kind):
        begin = self.range_begin(kind)
        if begin is not None and begin >= SIZE:
            return self.finish_with(416, b"", **{"Content-Range": f"bytes */{SIZE}"})
        if begin is not None and kind == "wrongrange":
            begin += 10
        body = BODY[begin or 0:]
        self.send_response(200 if begin is None else 206)
        if begin is not None:
            self.send_header("Content-Range", f"bytes {begin}-{SIZE - 1}/{SIZE}")
        if kind == "weak":
            self.send_header("Last-Modified", "Mon, 01 Jan 2024 00:00:00 GMT")
        if kind != "plain":
            self.send_header("ETag", self.etag(kind))
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.write_slices(kind, body)

    def write_slices(self, kind, body):
        cut = kind in ("cut", "cutnoranges", "wrongrange", "changed", "weak", "plain")
        if cut:
            body = body[:300_000]
        for start in range(0, len(body), CHUNK):
            self.wfile.write(body[start:start + CHUNK])
            if kind == "slow":
                time.sleep(0.02)
            if kind == "stall":
                time.sleep(30)
        if cut:
            self.close_connection = True


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address):
        pass  # clients of these tests hang up on purpose


if __name__ == "__main__":
    server = Server(("127.0.0.1", 0), Handler)
    print(server.server_address[1], flush=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    sys.stdin.read()
