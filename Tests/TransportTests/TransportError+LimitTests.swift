import Foundation
import HTTPMessages
import PatchbayTestKit
import Testing

@testable import Transport

@Suite struct TransportErrorLimitTests {
    private let head = HTTPResponseHead(status: .ok, url: echoURL)

    @Test(arguments: [(3, true), (2, false), (-1, false)])
    func `collects a stream up to the limit`(limit: Int, fits: Bool) async throws {
        let response = HTTPResponseStream(head: head, body: stream([Data([1]), Data([2]), Data([3])]))
        if fits {
            #expect(try await response.collect(upTo: limit) == HTTPResponse(head: head, body: Data([1, 2, 3])))
        } else {
            let error = try await transportError { try await response.collect(upTo: limit) }
            #expect(error.code == .responseTooLarge && error.head == head)
            #expect(error.bodyPrefix == Data([1, 2, 3].prefix(max(0, limit))))
        }
    }

    @Test func `all transports throw the same error with the same text`() async throws {
        let service = ClosureService { $0.response(body: Data(count: 100)) }
        try await withServer(service: service) { server, transport in
            let request = try server.request(limit: 99)
            let errors = [
                try await transportError { try await transport.send(request) },
                try await transportError { try await transport.stream(request).collect(upTo: 99) },
                try await transportError {
                    try await FakeTransport { $0.response(body: Data(count: 100)) }.send(request)
                },
                try await transportError { try await ServiceTransport(service).send(request) },
            ]
            #expect(Set(errors.map(\.message)).count == 1)
            for error in errors {
                #expect(error.code == .responseTooLarge && error.head?.status == .ok)
                #expect(error.message.contains("99 bytes") && error.message.contains("maximumResponseBytes"))
            }
        }
    }
}
