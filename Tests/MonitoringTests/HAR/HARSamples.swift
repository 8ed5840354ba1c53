import Foundation
import HTTPMessages
import Monitoring
import Transport

/// Exchanges and files for the tests of archives.
enum HARSamples {
    static let start = Date(timeIntervalSince1970: 1_769_862_645.25)

    static func exchange(
        _ url: String = "https://shop.example.com/items?page=2", method: HTTPMethod = .get,
        fields: KeyValuePairs<String, String> = [:], body: HTTPBody = .empty, status: HTTPStatus = .ok,
        responseFields: KeyValuePairs<String, String> = ["Content-Type": "application/json"],
        responseBody: Data = Data(#"{"id":1}"#.utf8)
    ) throws -> HAREntry {
        let request = try HTTPRequest(method, url, fields: HTTPFields(fields), body: body)
        let response = HTTPResponse(
            status: status, fields: try HTTPFields(responseFields), body: responseBody, url: request.url)
        return HAREntry(
            request, .success(response), startedAt: start,
            timings: HARTimings(
                dns: .milliseconds(2), connect: .milliseconds(10), ssl: .milliseconds(6),
                send: .microseconds(1500), wait: .milliseconds(20), receive: .milliseconds(3)))
    }

    /// A path that no test shares.
    static func temporaryFile() -> URL {
        FileManager.default.temporaryDirectory.appending(path: "patchbay-\(UUID().uuidString).har")
    }

    static func withFile<Result>(_ body: (URL) throws -> Result) rethrows -> Result {
        let file = temporaryFile()
        defer { try? FileManager.default.removeItem(at: file) }
        return try body(file)
    }

    static func written(_ entries: [HAREntry], limits: HARWriter.Limits = HARWriter.Limits()) throws -> Data {
        try withFile { file in
            let writer = try HARWriter(file, limits: limits)
            for entry in entries { try writer.append(entry) }
            try writer.close()
            return try Data(contentsOf: file)
        }
    }

    /// In the style of Chrome's developer tools: pseudo fields, custom fields, phases that are -1 or null.
    static let chrome = #"""
        {
          "log": {
            "version": "1.2",
            "creator": {"name": "WebInspector", "version": "537.36"},
            "pages": [
              {"startedDateTime": "2026-01-31T12:30:45.250Z", "id": "page_1", "title": "https://shop.example.com/",
               "pageTimings": {"onContentLoad": 100.5, "onLoad": 200.25}}
            ],
            "entries": [
              {
                "_connectionId": "4711",
                "_initiator": {"type": "script", "stack": {"callFrames": []}},
                "_priority": "High",
                "_resourceType": "fetch",
                "cache": {},
                "connection": "443",
                "pageref": "page_1",
                "request": {
                  "method": "POST",
                  "url": "https://shop.example.com/orders?draft=1",
                  "httpVersion": "http/2.0",
                  "headers": [
                    {"name": ":authority", "value": "shop.example.com"},
                    {"name": ":method", "value": "POST"},
                    {"name": ":path", "value": "/orders?draft=1&token=sesame"},
                    {"name": ":scheme", "value": "https"},
                    {"name": "accept", "value": "application/json"},
                    {"name": "content-length", "value": "14"},
                    {"name": "content-type", "value": "application/json"}
                  ],
                  "queryString": [{"name": "draft", "value": "1"}],
                  "cookies": [],
                  "headersSize": -1,
                  "bodySize": 14,
                  "postData": {"mimeType": "application/json", "text": "{\"item\":\"tea\"}"}
                },
                "response": {
                  "status": 201,
                  "statusText": "",
                  "httpVersion": "http/2.0",
                  "headers": [
                    {"name": "content-encoding", "value": "gzip"},
                    {"name": "content-type", "value": "application/json"},
                    {"name": "set-cookie", "value": "a=1; path=/\nb=2; path=/"}
                  ],
                  "cookies": [
                    {"name": "a", "value": "1", "path": "/", "domain": "shop.example.com", "expires": null,
                     "httpOnly": false, "secure": true, "sameSite": "Lax"}
                  ],
                  "content": {"size": 8, "mimeType": "application/json", "compression": -20, "text": "{\"id\":7}"},
                  "redirectURL": "",
                  "headersSize": -1,
                  "bodySize": -1,
                  "_transferSize": 231,
                  "_error": null
                },
                "serverIPAddress": "[2001:db8::1]",
                "startedDateTime": "2026-01-31T12:30:45.250Z",
                "time": 41.70000000512227,
                "timings": {"blocked": 5.2, "dns": -1, "ssl": -1, "connect": -1, "send": 0.5, "wait": 30,
                  "receive": 6, "_blocked_queueing": 4.1}
              },
              {
                "startedDateTime": "2026-01-31T12:30:46.000Z", "time": 3,
                "request": {"method": "GET", "url": "https://shop.example.com/logo.png", "httpVersion": "",
                  "headers": [], "queryString": [], "cookies": [], "headersSize": -1, "bodySize": 0},
                "response": {"status": 0, "statusText": "", "httpVersion": "", "headers": [], "cookies": [],
                  "content": {"size": 0, "mimeType": "x-unknown"}, "redirectURL": "", "headersSize": -1, "bodySize": -1,
                  "_error": "net::ERR_CONNECTION_REFUSED"},
                "cache": {}, "timings": {"blocked": 3, "dns": -1, "connect": -1, "send": 0, "wait": 0, "receive": 0}
              }
            ]
          }
        }
        """#

    /// In the style of Firefox's developer tools: a byte order mark, a local offset, sizes of heads, Base64 bodies.
    static let firefox =
        "\u{FEFF}"
            + #"""
            {"log": {"version": "1.2", "creator": {"name": "Firefox", "version": "147.0"},
              "browser": {"name": "Firefox", "version": "147.0"},
              "pages": [{"id": "page_1", "pageTimings": {"onContentLoad": -1, "onLoad": -1},
                "startedDateTime": "2026-01-31T13:30:45.250+01:00", "title": "Shop"}],
              "entries": [
                {"startedDateTime": "2026-01-31T13:30:45.250+01:00",
                 "request": {"bodySize": 9, "method": "POST", "url": "https://shop.example.com/login", "httpVersion": "HTTP/2",
                   "headers": [{"name": "Content-Type", "value": "application/x-www-form-urlencoded"}],
                   "cookies": [{"name": "theme", "value": "dark"}], "queryString": [], "headersSize": 412,
                   "postData": {"mimeType": "application/x-www-form-urlencoded",
                     "params": [{"name": "user", "value": "a b"}, {"name": "password", "value": "sesame"}],
                     "text": "user=a+b&password=sesame"}},
                 "response": {"status": 200, "statusText": "OK", "httpVersion": "HTTP/2",
                   "headers": [{"name": "content-type", "value": "image/png"}], "cookies": [],
                   "content": {"mimeType": "image/png", "size": 4, "encoding": "base64", "text": "iVBORw=="},
                   "redirectURL": "", "headersSize": 300, "bodySize": 304},
                 "cache": {}, "timings": {"blocked": 0, "dns": 1, "ssl": 4, "connect": 9, "send": 0, "wait": 25,
                   "receive": 0}, "time": 35, "_securityState": "secure", "serverIPAddress": "192.0.2.1",
                 "connection": "443", "pageref": "page_1"}
              ]}}
            """#
}
