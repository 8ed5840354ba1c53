import HTTPCaching
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing
import Transport

/// The total timeout of a call whose first request shows that the stored response is of no use.
@Suite struct CacheTimeoutTests {
    /// A response to the request about the stored response.
    enum Second: CaseIterable {
        /// A 304 that is about another version.
        case otherVersion
        /// A refusal of the range that is missing.
        case noRange
        /// A part of what is missing.
        case shortPart
    }

    private let clock = ManualClock()

    private func origin(_ second: Second) -> TestOrigin {
        let (clock, tag, fresh) = (clock, ("ETag", "\"a\""), ("Cache-Control", "max-age=60"))
        return TestOrigin { request, number in
            if number == 1, second == .otherVersion { return .test(request, [tag, fresh], "0123456789") }
            if number == 1 {
                return .test(request, status: 206, [tag, fresh, ("Content-Range", "bytes 0-2/10")], "012")
            }
            guard number == 2 else { return .test(request, [fresh], "whole") }
            await clock.advance(by: .seconds(4))
            switch second {
            case .otherVersion: return .test(request, status: 304, [("ETag", "\"b\""), fresh])
            case .noRange: return .test(request, status: 416)
            case .shortPart:
                return .test(request, status: 206, [tag, fresh, ("Content-Range", "bytes 3-6/10")], "3456")
            }
        }
    }

    /// Stores a response, or a part of it, and sends a request with a total timeout.
    private func send(_ second: Second, to origin: TestOrigin, total: Duration) async throws -> HTTPResponse {
        let transport = origin.transport.caching(in: HTTPCache(clock: clock))
        _ = try await transport.send(.test(.get, "/a", second == .otherVersion ? [:] : ["Range": "bytes=0-2"]))
        if second == .otherVersion { await clock.advance(by: .seconds(100)) }
        return try await transport.send(.test { $0.timeouts.total = total })
    }

    @Test(arguments: Second.allCases)
    func `the total timeout includes the request about the stored response`(second: Second) async throws {
        let origin = origin(second)
        #expect(try await send(second, to: origin, total: .seconds(10)).text == "whole")
        #expect(origin.requests.map(\.options.timeouts.total) == [nil, .seconds(10), .seconds(6)])
    }

    @Test(arguments: Second.allCases)
    func `without time after that request the call times out`(second: Second) async throws {
        let origin = origin(second)
        let error = await #expect(throws: TransportError.self) {
            try await send(second, to: origin, total: .seconds(4))
        }
        #expect(error?.code == .timedOut && error?.phase == .total && error?.timeout == .seconds(4))
        #expect(error?.head != nil && origin.count == 2)
    }
}
