import Foundation
import HTTPMessages
import Transport

extension TransportConformance {
    private static let body = Data.sample(200_000)

    /// Sends a body with an expectation to a server that handles its connections itself.
    private static func sends(
        _ name: String, waiting time: Duration = .seconds(3600),
        to server: @escaping @Sendable (RawConnection) async throws -> Void,
        _ check: @escaping @Sendable (HTTPResponse, LoopbackServer) async throws -> Void
    ) -> ConformanceCase {
        ConformanceCase(name, needs: [.socket]) { subject in
            try await subject.serving(.text) { rig in
                try await LoopbackServer(connections: server).stopping { server in
                    var request = try rig.request(.post, body: .bytes(body))
                    request = try HTTPRequest(.post, server.url, body: .bytes(body), options: request.options)
                    request.options.continueTimeout = time
                    try await check(rig.transport.send(request), server)
                }
            }
        }
    }

    private static func respond(_ connection: RawConnection, to body: Data) throws {
        try connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(body.count)\r\n\r\n")
        try connection.send(body)
    }

    /// Bodies that wait for `100 (Continue)`.
    static let expectations: [ConformanceCase] = [
        sends("a body follows 100 (Continue)") { connection in
            while try connection.receiveRequest(readsBody: false) != nil {
                try respond(connection, to: connection.receiveBody())
            }
        } _: { response, server in
            try expect(response.body, is: body)
            try expect(server.requests.map { $0.fields["Expect"] }, is: ["100-continue"], "Expect")
        },
        sends("a body follows when no 100 (Continue) comes in time", waiting: .milliseconds(20)) { connection in
            while try connection.receiveRequest(readsBody: false) != nil {
                try respond(connection, to: connection.receiveBody(sendsContinue: false))
            }
        } _: { response, server in
            try expect(response.body, is: body)
            try expect(server.requests.count, is: 1, "the number of requests")
        },
        sends("status 417 is followed by the request without an expectation") { connection in
            while let request = try connection.receiveRequest(readsBody: false) {
                if request.fields["Expect"] == nil {
                    try respond(connection, to: connection.receiveBody())
                } else {
                    try connection.send("HTTP/1.1 417 Expectation Failed\r\nContent-Length: 2\r\n\r\nno")
                }
            }
        } _: { response, server in
            try expect(response.status, is: .ok, "the status")
            try expect(response.body, is: body)
            try expect(server.requests.map { $0.fields["Expect"] }, is: ["100-continue", nil], "Expect")
        },
        ConformanceCase("a final status in place of 100 (Continue) ends the call without the body", needs: [.socket]) {
            subject in
            let received = Watched(0)
            let conformance = sends("") { connection in
                _ = try connection.receiveRequest(readsBody: false)
                try connection.send("HTTP/1.1 413 Content Too Large\r\nContent-Length: 2\r\n\r\nno")
                while let bytes = try connection.receive() { received.update { $0 += bytes.count } }
            } _: { response, server in
                try expect(response.status, is: .contentTooLarge, "the status")
                try expect(response.body, is: Data("no".utf8))
                // A connection whose request is incomplete can only be closed.
                try await server.waitForOpenConnections(0)
            }
            try await conformance.check(subject)
            try expect(received.value, is: 0, "the bytes of the body that were sent")
        },
        ConformanceCase("a request without a body expects nothing", needs: [.socket]) { subject in
            try await subject.serving(script: { _ in [.respond(with: .text)] }) { rig in
                var request = try rig.request()
                request.options.continueTimeout = .seconds(3600)
                try await expect(rig.transport.send(request).status, is: .ok, "the status")
                try expect(rig.requests[0].fields["Expect"], is: nil, "Expect")
            }
        },
    ]
}
