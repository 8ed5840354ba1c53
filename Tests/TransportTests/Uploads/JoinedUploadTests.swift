import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing

@testable import Transport

/// Parts that are sent at the same time and joined by the server (tus 1.0, Concatenation).
@Suite(.needsSlot) struct JoinedUploadTests {
    private static let content = bytes(100_000)

    private func endpoint() throws -> URL { try #require(URL(string: "http://files.example/films")) }

    @Test func `12: parts are joined`() async throws {
        let shelf = UploadShelf(.tus)
        let parts = stride(from: 0, to: 100_000, by: 25_000).map { HTTPBody.bytes(Self.content[$0..<($0 + 25_000)]) }
        try await FakeTransport { try await shelf.respond(to: $0) }.upload(joining: parts, to: endpoint())
        #expect(shelf.complete.contains(Self.content))
        #expect(shelf.requests.filter { $0.fields["Upload-Concat"] == "partial" }.count == 4)
    }

    @Test func `12: a joined upload has the metadata, and waits for a busy server`() async throws {
        let (shelf, refusals) = (UploadShelf(.tus), Watched([HTTPStatus.serviceUnavailable, .tooManyRequests]))
        let transport = FakeTransport { request in
            guard request.fields["Upload-Concat"]?.hasPrefix("final;") == true,
                let status = refusals.update({ $0.isEmpty ? nil : $0.removeFirst() })
            else { return try await shelf.respond(to: request) }
            return request.response(status, fields: try HTTPFields(["Retry-After": "5"]))
        }
        let parts = stride(from: 0, to: 100_000, by: 25_000).map { HTTPBody.bytes(Self.content[$0..<($0 + 25_000)]) }
        let clock = ManualClock()
        let options = UploadOptions { $0.metadata = ["filename": "film.mp4"] }
        let response = try await clock.autoAdvancing {
            try await transport.upload(joining: parts, to: endpoint(), options: options, clock: clock)
        }
        #expect(response.status == .created && shelf.complete.contains(Self.content))
        #expect(clock.now.offset >= .seconds(10) && shelf.requests.count == 9)
        for request in shelf.requests where request.method == .post {
            let isFinal = request.fields["Upload-Concat"] != "partial"
            #expect(request.fields["Upload-Metadata"] == (isFinal ? "filename ZmlsbS5tcDQ=" : nil))
        }
    }

    @Test func `12: parts are joined also if the last response does not name the upload`() async throws {
        let shelf = UploadShelf(.tus)
        let transport = FakeTransport { request in
            let response = try await shelf.respond(to: request)
            let isLast = request.fields["Upload-Concat"]?.hasPrefix("final;") == true
            return isLast ? request.response(.noContent) : response
        }
        let response = try await transport.upload(joining: [.bytes(Self.content)], to: endpoint())
        #expect(response.status == .noContent && shelf.complete.contains(Self.content))
    }

    @Test func `12: a lost connection at the joining is a further attempt, and a refusal an error`() async throws {
        for isLost in [true, false] {
            let (shelf, count) = (UploadShelf(.tus), Watched(0))
            let transport = FakeTransport { request in
                guard request.fields["Upload-Concat"]?.hasPrefix("final;") == true else {
                    return try await shelf.respond(to: request)
                }
                count.update { $0 += 1 }
                guard isLost else { return request.response(.badRequest) }
                throw TransportError(.connectionLost, "Cut.", request: request)
            }
            let clock = ManualClock()
            await #expect(throws: (any Error).self) {
                try await clock.autoAdvancing {
                    try await transport.upload(
                        joining: [.bytes(Self.content)], to: endpoint(),
                        options: UploadOptions { $0.maximumAttempts = 3 }, clock: clock)
                }
            }
            #expect(count.value == (isLost ? 3 : 1) && shelf.methods == ["POST", "PATCH"])
        }
    }

    @Test func `12: the total timeout of a joined upload spans its last request`() async throws {
        let (shelf, clock) = (UploadShelf(.tus), ManualClock())
        let timeouts = Watched<[Duration?]>([])
        let transport = FakeTransport { request in
            timeouts.update { $0.append(request.options.timeouts.total) }
            if request.method == .patch { await clock.advance(by: .seconds(40)) }
            return try await shelf.respond(to: request)
        }
        try await transport.upload(
            joining: [.bytes(Self.content)], to: endpoint(),
            options: UploadOptions { $0.requestOptions.timeouts.total = .seconds(60) }, clock: clock)
        #expect(timeouts.value == [.seconds(60), .seconds(60), .seconds(20)])
    }
}
