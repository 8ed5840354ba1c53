import Foundation
import HTTPMessages
import PatchbayTestKit
import Synchronization
import Testing
import Transport

@testable import Signing

/// What a signed request means for its call: its time, and whether it has ended.
@Suite struct SignedCallsTests {
    private static let now = Date(timeIntervalSince1970: 1_700_000_000)
    private let clock = ServerClock { Self.now }

    private final class Counter: OpenCall.Counter {
        let ended = Mutex(0)
        func callEnded() { ended.withLock { $0 += 1 } }
    }

    /// A signer that waits, such as for its credentials.
    private struct SlowSigner: RequestSigner {
        let time: ManualClock

        func sign(_ request: inout HTTPRequest, at date: Date) async throws { await time.advance(by: .seconds(3)) }
    }

    @Test func `a call is open until its request that is signed again has its response`() async throws {
        let counter = Counter()
        let entries = Mutex<[String]>([])
        let base = FakeTransport { request in
            let entry = request.options.call?.enter(counter)
            let count = entries.withLock { entries in
                entries.append(entry.map { "\($0)" } ?? "none")
                return entries.count
            }
            return HTTPResponse(
                status: count == 1 ? .unauthorized : .ok,
                fields: try HTTPFields(["Date": HTTPDate(Self.now + 3600).description]), url: request.url)
        }
        let signer = try HTTPMessageSignature(ExampleKeys.shared(), components: [.method])
        _ = try await base.signing(signer, clock: clock).send(HTTPRequest(.get, "https://a.example/"))
        let (seen, ended) = (entries.withLock { $0 }, counter.ended.withLock { $0 })
        #expect(seen == ["first", "further"] && ended == 1)
    }

    /// A signer whose signature is in the URL.
    private struct QuerySigner: RequestSigner {
        func sign(_ request: inout HTTPRequest, at date: Date) async throws {
            try request.setURL("\(request.url.absoluteString)?signature=\(Int(date.timeIntervalSince1970))")
        }
    }

    @Test(arguments: [false, true], [1, 2])
    func `a failure is one of the request without the signature`(isStreamed: Bool, attempts: Int) async throws {
        let base = ScriptedTransport { request in
            guard attempts == 2, request.options.attemptReason == .initial else {
                throw TransportError(.connectionRefused, "Down.", request: request)
            }
            let fields = try HTTPFields(["Date": HTTPDate(Self.now + 3600).description])
            return HTTPResponse(status: .unauthorized, fields: fields, url: request.url)
        }
        let transport = base.signing(QuerySigner(), clock: clock)
        let (request, other) = (
            try HTTPRequest(.post, "https://a.example/"), try HTTPRequest(.post, "https://a.example/b")
        )
        let error = await #expect(throws: TransportError.self) {
            _ = try await isStreamed ? transport.stream(request).head : transport.send(request).head
        }
        #expect(error?.isOf(request) == true && error?.isOf(other) == false)
        #expect(base.requests.count == attempts && base.requests.allSatisfy { $0.url.query() != nil })
    }

    @Test(arguments: [10, 2]) func `the total timeout includes the time of the signer`(seconds: Int) async throws {
        let time = ManualClock()
        let totals = Mutex<[Duration?]>([])
        let base = FakeTransport { request in
            totals.withLock { $0.append(request.options.timeouts.total) }
            return HTTPResponse(status: .ok, url: request.url)
        }
        let transport = SigningRequests(
            base: base, signer: SlowSigner(time: time), at: nil, clock: clock, owner: BaseURLOwner(), monotonic: time)
        let options = RequestOptions(timeouts: Timeouts(total: .seconds(seconds)))
        let request = try HTTPRequest(.get, "https://a.example/", options: options)
        if seconds == 10 {
            _ = try await transport.send(request)
        } else {
            let error = await #expect(throws: TransportError.self) { try await transport.send(request) }
            #expect(error?.code == .timedOut && error?.phase == .total && error?.timeout == .seconds(2))
        }
        let seen = totals.withLock { $0 }
        #expect(seen == (seconds == 10 ? [.seconds(7)] : []))
    }
}
