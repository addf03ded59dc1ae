"""Today's ClickHouse behind HTTP, for tests: chdb is the engine in process, and
this is as much of the server's HTTP interface as a store uses.

    today.py DIR PORT

A request has a connection of the engine to itself, so that its settings and
external tables end with it.
"""

import base64
import gzip
import json
import re
import struct
import sys
import urllib.parse
from email.parser import BytesParser
from email.policy import HTTP
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import lz4.block
from chdb import _chdb

# Users and passwords, as in users.xml beside this.
USERS = {"default": "", "hone": "of-the-store", "reader": ""}

# Parameters of a request that are neither settings nor those of a query.
RESERVED = {
    "query", "database", "default_format", "user", "password", "query_id", "session_id", "session_timeout", "quota_key",
    "compress", "decompress", "buffer_size", "wait_end_of_query", "stacktrace",
}

# The status that the server answers with for a code of an error; 500 for others.
STATUS = {
    **dict.fromkeys([193, 194, 516], 403),  # wrong password, none, either
    **dict.fromkeys([20, 36, 38, 42, 43, 44, 46, 47, 53, 62, 72, 115, 117, 130, 131, 386, 456, 457], 400),
    **dict.fromkeys([16, 60, 81], 404),  # no such column, table, database
    **dict.fromkeys([48], 501),
    **dict.fromkeys([159, 202, 209, 210], 500),
}

INSERT = re.compile(rb"\s*insert\s.*?\bformat\s+(\w+)\s*", re.IGNORECASE | re.DOTALL)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    path_of_data = ""

    def log_message(self, *args):
        pass

    def do_GET(self):
        url = urllib.parse.urlsplit(self.path)
        if url.path == "/ping":
            return self.answer(200, b"Ok.\n")
        try:
            params, query, data, tables = self.request_parts(url)
            self.run(params, query, data, tables)
        except Exception as e:  # also the engine's, a RuntimeError
            text = str(e)
            found = re.search(r"Code: (\d+)", text)
            code = int(found.group(1)) if found else 1002
            self.answer(STATUS.get(code, 500), text.encode() + b"\n", {"X-ClickHouse-Exception-Code": str(code)})

    do_POST = do_GET

    def request_parts(self, url):
        """Returns parameters, text of the query, data of an insert or None, and external tables by name."""
        params = dict(urllib.parse.parse_qsl(url.query, keep_blank_values=True))
        body = self.body()
        if params.get("decompress") == "1":
            body = unframed(body)
        tables = {}
        kind = self.headers.get("Content-Type", "")
        if kind.startswith("multipart/form-data"):
            message = BytesParser(policy=HTTP).parsebytes(b"Content-Type: " + kind.encode() + b"\r\n\r\n" + body)
            for part in message.iter_parts():
                name = part.get_param("name", header="content-disposition")
                value = part.get_payload(decode=True)
                if part.get_filename() is None:
                    params[name] = value.decode()
                else:
                    tables[name] = value
            body = b""
        query = params.get("query", "").encode()
        data = None
        if found := INSERT.fullmatch(query):
            data = body
        elif query and body:
            query += b"\n" + body
        elif not query:
            query = body
            if found := INSERT.match(query):
                query, data = body[: found.end()], body[found.end() :]
        return params, query, data, tables

    def run(self, params, query, data, tables):
        user = self.headers.get("X-ClickHouse-User") or params.get("user") or "default"
        password = self.headers.get("X-ClickHouse-Key") or params.get("password") or ""
        scheme, _, credentials = self.headers.get("Authorization", "").partition(" ")
        if scheme.lower() == "basic":
            user, _, password = base64.b64decode(credentials).decode().partition(":")
        if USERS.get(user) != password:
            raise RuntimeError(f"Code: 516. DB::Exception: {user}: Authentication failed: password is incorrect, or there is no user with such name. (AUTHENTICATION_FAILED)")
        c = _chdb.connect(self.path_of_data)
        try:
            database = self.headers.get("X-ClickHouse-Database") or params.get("database")
            if database:
                c.query(f"USE {quoted(database, '`')}", "Null")
            values = {k[len("param_") :]: v for k, v in params.items() if k.startswith("param_")}
            described = {f"{t}_{what}" for t in tables for what in ("structure", "types", "format")}
            for name, content in tables.items():
                c.query(f"CREATE TEMPORARY TABLE {quoted(name, '`')} ({params[name + '_structure']})", "Null")
                self.insert(c, f"INSERT INTO {quoted(name, '`')}", params.get(name + "_format", "TabSeparated"), content)
            for k, v in params.items():
                if k not in RESERVED and k not in described and not k.startswith("param_"):
                    c.query(f"SET {k} = {quoted(v, chr(39))}", "Null")
            if user == "reader":
                c.query("SET readonly = 1", "Null")
            if data is not None:
                format = INSERT.fullmatch(query).group(1)
                query = re.sub(rb"\bformat\s+\w+\s*\Z", b"", query, flags=re.IGNORECASE)
                rows = self.insert(c, query.decode(), format.decode(), data)
                return self.answer(200, b"", {"X-ClickHouse-Summary": json.dumps({"written_rows": str(rows)})})
            format = self.headers.get("X-ClickHouse-Format") or params.get("default_format") or "TabSeparated"
            result = c.query(query.decode(), format, params=values)
            summary = {"read_rows": str(result.storage_rows_read()), "read_bytes": str(result.storage_bytes_read())}
            data = bytes(result.bytes() or b"")
            self.answer(200, framed(data) if params.get("compress") == "1" else data, {"X-ClickHouse-Summary": json.dumps(summary)})
        finally:
            c.close()

    def insert(self, c, query, format, data):
        """Inserts data and returns how many rows it has."""
        stream = c.send_insert(query, format)
        try:
            c.insert_append(stream, data)
        except BaseException:
            c.insert_cancel(stream)
            raise
        return c.insert_done(stream).rows_written()

    def body(self):
        if self.headers.get("Transfer-Encoding", "").lower() == "chunked":
            chunks = []
            while size := int(self.rfile.readline().split(b";")[0], 16):
                chunks.append(self.rfile.read(size))
                self.rfile.readline()
            while self.rfile.readline().strip():
                pass  # trailers
            data = b"".join(chunks)
        else:
            data = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        return gzip.decompress(data) if self.headers.get("Content-Encoding") == "gzip" else data

    def answer(self, status, data, headers={}):
        if "gzip" in self.headers.get("Accept-Encoding", "") and "enable_http_compression=1" in self.path:
            data = gzip.compress(data, 1)
            headers = {**headers, "Content-Encoding": "gzip"}
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


# The engine's own compression has frames: a checksum of 16 bytes, which the shim
# neither checks nor makes, a method, the size from there on, the size of the data.
HEAD = struct.Struct("<16sBII")
PLAIN, LZ4 = 0x02, 0x82


def framed(data):
    return HEAD.pack(bytes(16), PLAIN, len(data) + 9, len(data)) + data if data else b""


def unframed(frames):
    out, at = [], 0
    while at < len(frames):
        _, method, size, whole = HEAD.unpack_from(frames, at)
        data = frames[at + HEAD.size : at + 16 + size]
        out.append(lz4.block.decompress(data, uncompressed_size=whole) if method == LZ4 else data)
        at += 16 + size
    return b"".join(out)


def quoted(text, mark):
    return mark + text.replace("\\", "\\\\").replace(mark, "\\" + mark) + mark


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 1024


if __name__ == "__main__":
    Handler.path_of_data = sys.argv[1]
    # The engine lasts as long as a connection does.
    keeper = _chdb.connect(Handler.path_of_data)
    Server(("127.0.0.1", int(sys.argv[2])), Handler).serve_forever()
