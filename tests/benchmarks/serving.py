"""Load the server of the page "Serve real people" over HTTP, kill it, and count what is on the disk.

    python -m tests.benchmarks.serving             # 4,000 users on 32 connections, in a temporary folder
    python -m tests.benchmarks.serving 8000 64     # so many users and connections

Every user asks and answers, a tenth of them twice and a tenth never. An answer is lost if it was thanked for and is not in the
saved state, and doubled if there are more answers in it than were taken. It is measured, and no test asserts how fast.
"""

import json
import multiprocessing
import os
import platform
import resource
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.test_serving import CODE


def started(folder: str) -> dict[str, Any]:
    os.chdir(folder)
    names: dict[str, Any] = {"__name__": "server"}
    exec(CODE, names)
    return names


def serve(folder: str, port: Any) -> None:
    names = started(folder)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_POST(self) -> None:
            given = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            try:
                reply = names[self.path[1:]](*given)
            except ValueError as error:
                reply = {"refused": f"{type(error).__name__}: {error}"}
            body = json.dumps(reply).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args: Any) -> None:
            pass

    class Server(ThreadingHTTPServer):
        request_queue_size = 256

    server = Server(("127.0.0.1", 0), Handler)
    port.put(server.server_port)
    server.serve_forever()


def visit(port: int, users: range) -> list[str]:
    """Let users ask and answer, on one connection; return the tokens of those who were thanked, and "" for each refusal."""
    line, told = HTTPConnection("127.0.0.1", port, timeout=600), list[str]()

    def call(verb: str, *given: Any) -> Any:
        line.request("POST", f"/{verb}", json.dumps(given), {"Content-Type": "application/json"})
        return json.loads(line.getresponse().read())

    for user in users:
        token = call("ask", user)["token"]
        if token is None or user % 10 == 3:
            continue
        told += [token if "thanks" in call("answer", token, user % 2) else "" for _ in range(1 + (user % 10 == 7))]
    return told


def main(users: int = 4000, connections: int = 32) -> int:
    """Serve, visit, kill, and tell; 1 if an answer is lost or doubled."""
    start = multiprocessing.get_context("spawn")
    with tempfile.TemporaryDirectory() as folder:
        queue: Any = start.Queue()
        server = start.Process(target=serve, args=(folder, queue))
        server.start()
        port, began = queue.get(timeout=600), time.monotonic()
        with ThreadPoolExecutor(connections) as pool:
            visits = pool.map(lambda first: visit(port, range(first, users, connections)), range(connections))
            told = [token for visited in visits for token in visited]
        seconds = time.monotonic() - began
        server.kill()
        server.join(timeout=600)
        played = started(folder)["learner"].played
        os.chdir("/")
    thanked = [token for token in told if token]
    requests, refused, taken = users + len(told), len(told) - len(thanked), len(set(thanked))
    lost, doubled = max(0, taken - played), max(0, played - taken) + len(thanked) - taken
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"{requests:,} requests of {users:,} users on {connections} connections in {seconds:.1f} s, {requests / seconds:,.0f} a "
          f"second; the server took {used.ru_utime + used.ru_stime:.1f} s of a processor ({platform.machine()}, {os.cpu_count()} "
          f"cores, load {os.getloadavg()[0]:.1f}, Python {platform.python_version()})")
    print(f"{len(thanked):,} answers taken, {refused:,} refused (twice, or after their batch); {lost} lost, {doubled} doubled")
    return int(lost + doubled > 0)


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
