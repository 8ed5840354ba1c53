import Foundation
import HTTPMessages
import Transport

extension TransportConformance {
    /// A connection is used a second time, and dies when it is.
    private static func dies(
        _ name: String, _ look: @escaping @Sendable (ConformanceRig) async throws -> Void
    ) -> ConformanceCase {
        ConformanceCase(name, needs: [.socket]) { subject in
            let plan: @Sendable (RecordedRequest) -> FaultPlan = { request in
                request.number == 1 ? [.close] : [.answer(by: .echo)]
            }
            try await subject.serving(plan: plan) { rig in
                _ = try await rig.send()
                try await look(rig)
            }
        }
    }

    /// Connections, and what becomes of them.
    static let connections: [ConformanceCase] = [
        ConformanceCase("connections are used again", needs: [.socket]) { subject in
            try await subject.serving(.echo) { rig in
                for _ in 0..<10 { _ = try await rig.send(.post, body: .text("x")) }
                try expect(rig.server?.connectionCount, is: 1, "the number of connections")
            }
        },
        dies("GET is sent again when its connection turns out to be dead") { rig in
            try await expect(rig.send().status, is: .ok, "the status")
            try expect(rig.requests.count, is: 3, "the number of requests that arrived")
        },
        dies("PUT is sent again, body and all, when its connection turns out to be dead") { rig in
            try await expect(rig.send(.put, body: .bytes(.sample(200_000))).body, is: .sample(200_000))
            try expect(rig.requests.count, is: 3, "the number of requests that arrived")
        },
        dies("POST fails fast when its connection turns out to be dead") { rig in
            // Without a deadline: a call that is not told of the dead connection does not end.
            try await expectError(.connectionLost) { try await rig.send(.post, body: .text("once")) }
            try expect(rig.requests.count, is: 2, "the number of requests that arrived")
            try await expect(rig.send(.post, body: .text("next")).body, is: Data("next".utf8))
        },
        ConformanceCase("a connection that the server closes is not used again", needs: [.socket]) { subject in
            try await subject.serving(plan: { _ in [.answer(by: .echo), .close] }) { rig in
                for number in 0..<5 {
                    // The server's end may have been noticed or not; a GET comes through either way.
                    try await expect(rig.send(.get, "/\(number)").status, is: .ok, "the status")
                }
            }
        },
        ConformanceCase("where nobody listens, the connection is refused", needs: [.socket]) { subject in
            try await subject.serving(.echo) { rig in
                let port = try RefusedPort()
                let request = try HTTPRequest(.post, port.url(of: "/"), body: .text("x"))
                try await expectError(.connectionRefused) { try await rig.transport.send(request) }
            }
        },
    ]
}
