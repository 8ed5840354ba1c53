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
        ConformanceCase("a connection closed by the server is not reused", needs: [.socket]) { subject in
            try await subject.serving(script: { _ in [.respond(with: .echo), .close] }) { rig in
                for number in 0..<5 {
                    // The client may or may not have seen the FIN; a GET succeeds either way.
                    try await expect(rig.send(.get, "/\(number)").status, is: .ok, "the status")
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
