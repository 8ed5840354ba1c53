import Foundation
import HTTPMessages
import Transport

extension TransportConformance {
    /// Methods, targets and request fields.
    static let requests: [ConformanceCase] =
        ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PURGE"].map { name in
            ConformanceCase("\(name) arrives unchanged") { subject in
                try await subject.serving(.echo) { rig in
                    let method = try HTTPMethod(name)
                    let bodies: [HTTPBody] = method.allowsBody ? [.empty, .text("body")] : [.empty]
                    for body in bodies {
                        let response = try await rig.send(method, body: body)
                        try expect(response.status, is: .ok, "the status")
                        try await expect(response.body, is: body.collect())
                    }
                    try expect(rig.requests.map(\.method.name), is: bodies.map { _ in name }, "the method")
                }
            }
        } + [
            ConformanceCase("path and query arrive unchanged") { subject in
                let targets = ["/a%2Fb/%C3%A4;x=1?q=1&q=2&none&empty=&%26=%2B+", "/", "/?", "/%20?a=b?c/d", "//a//"]
                try await subject.serving(.text) { rig in
                    for target in targets {
                        let response = try await rig.send(.get, target)
                        try expect(
                            response.url.absoluteString, is: rig.request(.get, target).url.absoluteString,
                            "the response's URL")
                    }
                    try expect(rig.requests.map(\.target), is: targets, "the list of request targets")
                }
            },
            ConformanceCase("fields arrive unchanged, those of one name combined") { subject in
                let fields = try HTTPFields([
                    "X-One": "a b", "x-two": "ä€", "X-Many": "1", "Content-Type": "text/x", "X-MANY": "2, 3",
                    "X-Empty": "", "User-Agent": "mine/1", "Authorization": "Bearer t",
                ])
                try await subject.serving(.text) { rig in
                    _ = try await rig.send(.post, fields: fields, body: .text("x"))
                    for name in Set(fields.map(\.name)) {
                        try expect(rig.requests[0].fields[name], is: fields[name], "the field \(name)")
                    }
                }
            },
            ConformanceCase("a request that accepts no content coding says so", needs: [.socket]) { subject in
                try await subject.serving(.echo) { rig in
                    for (index, method) in [HTTPMethod.get, .delete, .post].enumerated() {
                        var request = try rig.request(method)
                        request.options.acceptsContentCodings = false
                        _ = try await rig.transport.send(request)
                        let coding = rig.requests[index].fields[.acceptEncoding]
                        try expect(coding, is: "identity", "Accept-Encoding of \(method)")
                    }
                }
            },
            ConformanceCase("a request for a range accepts no content coding", needs: [.socket]) { subject in
                try await subject.serving(.echo) { rig in
                    _ = try await rig.send(fields: try HTTPFields(["Range": "bytes=0-9"]))
                    try expect(rig.requests[0].fields[.acceptEncoding], is: "identity", "Accept-Encoding")
                }
            },
            ConformanceCase("credentials of a proxy do not reach a server", needs: [.socket]) { subject in
                try await subject.serving(.text) { rig in
                    let fields = try HTTPFields(["Proxy-Authorization": "Basic YTpi", "X-Other": "1"])
                    _ = try await rig.send(fields: fields)
                    try expect(rig.requests[0].fields[.proxyAuthorization], is: nil, "Proxy-Authorization")
                    try expect(rig.requests[0].fields["X-Other"], is: "1", "the other field")
                }
            },
            ConformanceCase("two hundred fields arrive") { subject in
                try await subject.serving(.text) { rig in
                    let fields = try HTTPFields((0..<200).map { ("X-\($0)", "value \($0)") })
                    _ = try await rig.send(fields: fields)
                    for field in fields {
                        try expect(rig.requests[0].fields[field.name], is: field.value, "\(field.name)")
                    }
                }
            },
            ConformanceCase("fields of the connection are refused", needs: [.socket]) { subject in
                try await subject.serving(.text) { rig in
                    for name in ["Connection", "Content-Length", "Host", "Transfer-Encoding", "Upgrade", "TE"] {
                        let fields = try HTTPFields([(name, "1")])
                        try await expectError(.reservedField) { try await rig.send(.post, fields: fields) }
                    }
                    try expect(rig.requests.count, is: 0, "the number of requests")
                }
            },
            ConformanceCase("control characters cannot inject into a method, a URL or a field") { subject in
                try await subject.serving(.text) { rig in
                    for text in ["GET / HTTP/1.1\r\nX-Evil: 1\r\n\r\nGET", "", "GET ", "G\0T", "GÉT"] {
                        try expectRefusal(.invalidMethod, "the method \(text.debugDescription)") {
                            try HTTPMethod(text)
                        }
                    }
                    for text in ["/\r\nX-Evil: 1", "/\0", "/\n"] {
                        try expectRefusal(.invalidURL, "the path \(text.debugDescription)") {
                            try rig.request(.get, text)
                        }
                    }
                    for text in ["X\r\nX-Evil", "X:", "", "X Y", "Ä"] {
                        try expectRefusal(.invalidFieldName, "the name \(text.debugDescription)") {
                            try HTTPFields([(text, "1")])
                        }
                    }
                    for text in ["1\r\nX-Evil: 1", "1\n", "\r", "a\0b"] {
                        try expectRefusal(.invalidFieldValue, "the value \(text.debugDescription)") {
                            try HTTPFields([("X", text)])
                        }
                    }
                    _ = try await rig.send(.get, "/%0D%0AX-Evil:%201", fields: HTTPFields(["X": "%0D%0AX-Evil: 1"]))
                    try expect(rig.requests[0].fields["X-Evil"], is: nil, "the injected field")
                }
            },
            ConformanceCase("an invalid request is refused when it is created") { subject in
                try await subject.serving(.text) { rig in
                    try expectRefusal(.bodyNotAllowed, "GET with a body") { try rig.request(.get, body: .text("x")) }
                    let urls: [(String, HTTPMessageError.Code)] = [
                        ("ftp://host/", .unsupportedScheme), ("file:///etc/passwd", .unsupportedScheme),
                        ("http://me:secret@host/", .userInfoInURL), ("http:///path", .invalidURL),
                        ("host/path", .invalidURL), ("http://host:99999/", .invalidURL),
                    ]
                    for (url, code) in urls { try expectRefusal(code, url) { try HTTPRequest(.get, url) } }
                }
            },
            ConformanceCase("invalid timeouts are refused") { subject in
                try await subject.serving(.text) { rig in
                    for timeout in [Duration.zero, .seconds(-1), .seconds(Int64.max)] {
                        let deadlines = [
                            Timeouts(response: timeout), Timeouts(idle: timeout), Timeouts(total: timeout),
                        ]
                        for timeouts in deadlines {
                            let request = try rig.request(timeouts: timeouts)
                            do {
                                _ = try await rig.transport.send(request)
                                throw ConformanceFailure("the timeout \(timeout) is accepted")
                            } catch let error as HTTPMessageError where error.code == .invalidTimeout {}
                        }
                    }
                    try expect(rig.requests.count, is: 0, "the number of requests")
                }
            },
            ConformanceCase("no cookies, cache or credentials are kept between requests") { subject in
                let fields = try HTTPFields([
                    "Set-Cookie": "a=b; Path=/", "Cache-Control": "max-age=1000", "ETag": "\"x\"",
                    "WWW-Authenticate": "Basic realm=\"x\"",
                ])
                try await subject.serving({ $0.response(fields: fields, body: Data("x".utf8)) }) { rig in
                    for _ in 0..<3 {
                        let response = try await rig.send()
                        try expect(response.fields[.setCookie], is: "a=b; Path=/", "Set-Cookie")
                    }
                    try expect(rig.requests.count, is: 3, "the number of requests")
                    for name in [HTTPFieldName.cookie, .ifNoneMatch, .authorization] {
                        try expect(rig.requests.allSatisfy { !$0.fields.contains(name) }, "\(name) was sent")
                    }
                }
            },
            ConformanceCase("each of fifty concurrent requests gets its own response") { subject in
                try await subject.serving(.echo) { rig in
                    try await withThrowingTaskGroup(of: (Int, Data).self) { group in
                        for number in 0..<50 {
                            let request = try rig.request(.post, "/\(number)", body: .text("body of \(number)"))
                            group.addTask { (number, try await rig.transport.send(request).body) }
                        }
                        for try await (number, body) in group { try expect(body, is: Data("body of \(number)".utf8)) }
                    }
                    try expect(rig.requests.count, is: 50, "the number of requests")
                }
            },
        ]
}
