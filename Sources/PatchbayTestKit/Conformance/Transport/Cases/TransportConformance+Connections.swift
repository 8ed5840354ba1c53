import Foundation
import HTTPMessages
import Transport

extension TransportConformance {
    /// A case in which the server closes a reused connection instead of responding.
    private static func closesReusedConnection(
        _ name: String, _ check: @escaping @Sendable (ConformanceRig) async throws -> Void
    ) -> ConformanceCase {
        ConformanceCase(name, needs: [.socket]) { subject in
            let script: @Sendable (RecordedRequest) -> ServerScript = { request in
                request.number == 1 ? [.close] : [.respond(with: .echo)]
            }
            try await subject.serving(script: script) { rig in
                _ = try await rig.send()
                try await check(rig)
            }
        }
    }

    /// A response that no request asks for, to the second request on a connection.
    private static let stray = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nstray"

    /// The complete responses after which a server sends ``stray``, with the methods of their requests.
    private static let completeResponses: [(method: HTTPMethod, bytes: String)] = [
        (.get, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nfirst"),
        (.post, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"),
        (.get, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nfirst\r\n0\r\n\r\n"),
        (.get, "HTTP/1.1 204 No Content\r\n\r\n"),
        (.get, "HTTP/1.1 204 No Content\r\nContent-Length: \(stray.utf8.count)\r\n\r\n"),
        (.post, "HTTP/1.1 205 Reset Content\r\nContent-Length: 0\r\n\r\n"),
        (.get, "HTTP/1.1 304 Not Modified\r\nContent-Length: \(stray.utf8.count)\r\n\r\n"),
        (.head, "HTTP/1.1 200 OK\r\nContent-Length: \(stray.utf8.count)\r\n\r\n"),
    ]

    /// Sends a request, lets the server add a response that no request asks for, and sends further requests.
    private static func sendsStray(
        after method: HTTPMethod, _ bytes: String, then next: HTTPMethod, subject: ConformanceSubject
    ) async throws {
        let (isReceived, isSent) = (Gate(), Gate())
        let script: @Sendable (RecordedRequest) -> ServerScript = { request in
            guard request.number == 0 else { return [.respond(with: .target)] }
            return [
                .send(bytes), .wait(for: isReceived), .send(stray),
                .init { _, _ in
                    isSent.open()
                    return true
                },
            ]
        }
        try await subject.serving(script: script) { rig in
            let first = method.allowsBody ? HTTPBody.text("x") : .empty
            _ = try await rig.send(method, "/first", body: first)
            isReceived.open()
            try await isSent.wait()
            for number in 1...3 {
                let response = try await rig.send(
                    next, "/\(number)", body: next.allowsBody ? .text("\(number)") : .empty)
                try expect(
                    String(decoding: response.body, as: UTF8.self), is: "\(next) /\(number)",
                    "the body for request \(number) after \(bytes.prefix(while: { $0 != "\r\n" })) to \(method)")
            }
        }
    }

    /// Reuse and failure of connections.
    static let connections: [ConformanceCase] = [
        ConformanceCase("connections are reused", needs: [.socket]) { subject in
            try await subject.serving(.echo) { rig in
                for _ in 0..<10 { _ = try await rig.send(.post, body: .text("x")) }
                try expect(rig.server?.connectionCount, is: 1, "the number of connections")
            }
        },
        closesReusedConnection("GET is retried on a dead connection") { rig in
            try await expect(rig.send().status, is: .ok, "the status")
            try expect(rig.requests.count, is: 3, "the number of requests")
        },
        closesReusedConnection("PUT is retried with its body on a dead connection") { rig in
            try await expect(rig.send(.put, body: .bytes(.sample(200_000))).body, is: .sample(200_000))
            try expect(rig.requests.count, is: 3, "the number of requests")
        },
        closesReusedConnection("POST fails fast on a dead connection") { rig in
            // Without a timeout: a request that misses the end of its connection hangs.
            try await expectError(.connectionLost) { try await rig.send(.post, body: .text("once")) }
            try expect(rig.requests.count, is: 2, "the number of requests")
            try await expect(rig.send(.post, body: .text("next")).body, is: Data("next".utf8))
        },
        ConformanceCase("POST and PATCH without content reach a dead connection once", needs: [.socket]) { subject in
            let script: @Sendable (RecordedRequest) -> ServerScript = { request in
                request.target == "/once" ? [.close] : [.respond(with: .echo)]
            }
            try await subject.serving(script: script) { rig in
                for (method, body) in [(HTTPMethod.post, HTTPBody.empty), (.post, .bytes(Data())), (.patch, .empty)] {
                    _ = try await rig.send()
                    let count = rig.requests.count
                    try await expectError(.connectionLost) { try await rig.send(method, "/once", body: body) }
                    try expect(rig.requests.count - count, is: 1, "the number of requests of a \(method)")
                }
            }
        },
        ConformanceCase("a connection closed by the server is not reused", needs: [.socket]) { subject in
            try await subject.serving(script: { _ in [.respond(with: .echo), .close] }) { rig in
                for number in 0..<5 {
                    // The client may or may not have seen the FIN; a GET succeeds either way.
                    try await expect(rig.send(.get, "/\(number)").status, is: .ok, "the status")
                }
            }
        },
        ConformanceCase("a response that no request asked for never reaches the next request", needs: [.socket]) {
            subject in
            for (method, bytes) in completeResponses {
                for next in [HTTPMethod.get, .post] {
                    try await sendsStray(after: method, bytes, then: next, subject: subject)
                }
            }
        },
        ConformanceCase("a stalled response delays no other request to its origin", needs: [.socket]) { subject in
            let script: @Sendable (RecordedRequest) -> ServerScript = { request in
                request.number == 0 ? [.stall] : [.respond(with: .echo)]
            }
            try await subject.serving(script: script) { rig in
                let stalled = Task { try await rig.send() }
                try await rig.requests(count: 1)
                try await expect(rig.send(.get, "/next").status, is: .ok, "the status")
                stalled.cancel()
                _ = await stalled.result
            }
        },
        ConformanceCase("a port without a listener refuses the connection", needs: [.socket]) { subject in
            try await subject.serving(.echo) { rig in
                let port = try RefusedPort()
                let request = try HTTPRequest(.post, port.url(of: "/"), body: .text("x"))
                try await expectError(.connectionRefused) { try await rig.transport.send(request) }
            }
        },
    ]
}
