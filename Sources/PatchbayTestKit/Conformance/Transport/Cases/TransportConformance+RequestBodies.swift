import Foundation
import HTTPMessages
import Transport

extension TransportConformance {
    private struct Failure: Error {}

    /// A body reader that returns one piece at a time, split if it exceeds the limit.
    private final class Pieces: HTTPBodyReader {
        private var rest: ArraySlice<Data>

        init(_ pieces: [Data]) { rest = pieces[...] }

        func read(atMost count: Int) throws -> Data? {
            guard let piece = rest.popFirst() else { return nil }
            if piece.count > count { rest = [Data(piece.dropFirst(count))] + rest }
            return Data(piece.prefix(count))
        }
    }

    private static let large = Data.sample(3 << 20)
    private static let pieces = [Data.sample(10), Data.sample(70_000), Data.sample(1)]

    private static let wholeBodies: [(name: String, bytes: Data, make: @Sendable () -> HTTPBody)] = [
        ("of no bytes", Data(), { .bytes(Data()) }),
        ("of a few bytes", Data("0\r\n\r\n\0ÿ".utf8), { .text("0\r\n\r\n\0ÿ") }),
        ("of 3 MiB", large, { .bytes(large) }),
        ("of several parts", Data("ab".utf8) + large, { .sequence([.text("a"), .empty, .text("b"), .bytes(large)]) }),
        (
            "that is generated, of known length", pieces.reduce(Data(), +),
            { .generated(length: 70_011) { Pieces(pieces) } }
        ),
        ("that is generated, of unknown length", pieces.reduce(Data(), +), { .generated { Pieces(pieces) } }),
        (
            "that is a stream of known length", pieces.reduce(Data(), +),
            { .stream(stream(pieces), length: 70_011) }
        ),
        ("that is a stream of unknown length", pieces.reduce(Data(), +), { .stream(stream(pieces)) }),
        ("that is an empty stream", Data(), { .stream(stream([])) }),
        ("of 3 MiB that is a stream", large, { .stream(stream([large])) }),
    ]

    /// Streams and generators that fail or have another length than declared.
    private static let brokenBodies: [(name: String, make: @Sendable () -> HTTPBody)] = [
        (
            "a stream that fails",
            {
                .stream(
                    AsyncThrowingStream<Data, any Error> { continuation in
                        continuation.yield(Data("half".utf8))
                        continuation.finish(throwing: Failure())
                    })
            }
        ),
        ("a stream shorter than it says", { .stream(stream([Data("half".utf8)]), length: 8) }),
        ("a stream longer than it says", { .stream(stream([Data("double".utf8)]), length: 3) }),
        ("a generator that fails", { .generated { throw Failure() } }),
        ("a generator shorter than it says", { .generated(length: 8) { Pieces([Data("half".utf8)]) } }),
        ("a generator with a piece of no bytes", { .generated { Pieces([Data("a".utf8), Data(), Data("b".utf8)]) } }),
        ("a generator longer than it says", { .generated(length: 3) { Pieces([Data("double".utf8)]) } }),
    ]

    /// Request bodies.
    static let requestBodies: [ConformanceCase] =
        wholeBodies.map { name, bytes, make in
            ConformanceCase("a body \(name) arrives whole") { subject in
                try await subject.serving(.echo) { rig in
                    let response = try await rig.send(.post, body: make())
                    try expect(response.status, is: .ok, "the status")
                    try expect(response.body, is: bytes)
                    try expect(rig.requests.count, is: 1, "the number of requests")
                }
            }
        }
        + brokenBodies.map { name, make in
            ConformanceCase("a body from \(name) fails the call") { subject in
                try await subject.serving(.echo) { rig in
                    try await expectError(.unreadableBody) { try await rig.send(.post, body: make()) }
                    // The next request is not affected.
                    try await expect(rig.send(.post, body: .text("next")).body, is: Data("next".utf8))
                }
            }
        } + [
            ConformanceCase("a body from a file arrives whole, and a part of one") { subject in
                let url = FileManager.default.temporaryDirectory.appending(path: "patchbay-\(UUID().uuidString)")
                let bytes = Data.sample(200_000)
                try bytes.write(to: url)
                defer { try? FileManager.default.removeItem(at: url) }
                try await subject.serving(.echo) { rig in
                    try await expect(rig.send(.put, body: .file(at: url)).body, is: bytes)
                    let part = try HTTPBody.file(at: url, range: 5..<150_000)
                    try await expect(rig.send(.put, body: part).body, is: bytes[5..<150_000])
                }
            },
            ConformanceCase("a stream can be sent once") { subject in
                try await subject.serving(.echo) { rig in
                    let request = try rig.request(.post, body: .stream(stream([Data("once".utf8)])))
                    try await expect(rig.transport.send(request).body, is: Data("once".utf8))
                    try await expectError(.unreadableBody) { try await rig.transport.send(request) }
                }
            },
            ConformanceCase("a replayable body can be sent several times") { subject in
                try await subject.serving(.echo) { rig in
                    let request = try rig.request(.post, body: .generated { Pieces(pieces) })
                    for _ in 0..<3 {
                        try await expect(rig.transport.send(request).body, is: pieces.reduce(Data(), +))
                    }
                }
            },
            ConformanceCase("a body has a Content-Length or is chunked, never both", needs: [.socket]) { subject in
                try await subject.serving(script: { _ in [.respond(with: .echo)] }) { rig in
                    for (_, bytes, make) in wholeBodies {
                        let body = make()
                        _ = try await rig.send(.post, body: body)
                        let fields = rig.server?.requests.last?.fields ?? HTTPFields()
                        let isChunked = fields[.transferEncoding]?.lowercased() == "chunked"
                        let length = isChunked ? nil : "\(bytes.count)"
                        try expect(fields[.contentLength], is: length, "Content-Length of \(body)")
                        try expect(!isChunked || body.length == nil, "\(body) is in chunks")
                    }
                }
            },
            // A server may refuse a request with neither (411).
            ConformanceCase("a request whose method expects a body states that it has none", needs: [.socket]) {
                subject in
                try await subject.serving(script: { _ in [.respond(with: .echo)] }) { rig in
                    for method in [HTTPMethod.post, .put, .patch] {
                        _ = try await rig.send(method, body: .empty)
                        let fields = rig.server?.requests.last?.fields ?? HTTPFields()
                        try expect(fields[.contentLength], is: "0", "Content-Length of \(method)")
                        try expect(!fields.contains(.transferEncoding), "\(method) is in chunks")
                    }
                }
            },
            ConformanceCase("a body without a type is not sent as a form") { subject in
                try await subject.serving(.echo) { rig in
                    _ = try await rig.send(.post, body: .text("x"))
                    let type = rig.requests[0].fields[.contentType]
                    try expect(type == nil || type == "application/octet-stream", "Content-Type is \(type ?? "")")
                }
            },
            ConformanceCase("a response before the end of the request body is accepted", needs: [.socket]) { subject in
                try await subject.serving(.text, faults: { _ in nil }) { rig in
                    let server = try LoopbackServer(connections: { connection in
                        _ = try connection.receiveRequest(readsBody: false)
                        try connection.send(
                            "HTTP/1.1 413 Content Too Large\r\nConnection: close\r\nContent-Length: 2\r\n\r\nno")
                        connection.stall()
                    })
                    let request = try HTTPRequest(.put, server.url, body: .bytes(Data(count: 16 << 20)))
                    let response = try await server.stopping { _ in try await rig.transport.send(request) }
                    try expect(response.status, is: .contentTooLarge, "the status")
                    try expect(response.body, is: Data("no".utf8))
                }
            },
        ]
}
