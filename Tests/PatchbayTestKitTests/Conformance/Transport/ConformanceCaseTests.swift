import Foundation
import HTTPMessages
import TestSupport
import Testing
import Transport

@testable import PatchbayTestKit

@Suite(.needsSlot) struct ConformanceCaseTests {
    /// A transport with one fault, which a case must detect.
    private struct Broken: Transport {
        let base: ScriptedTransport
        let change: @Sendable (ScriptedTransport, HTTPRequest, (any TransferObserver)?) async throws -> HTTPResponse
        func send(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponse {
            try await change(base, request, observer)
        }
    }

    /// The observer of the previous request, for a transport that reports an event too late.
    private static let lateObserver = Watched<(any TransferObserver)?>(nil)

    private static let broken:
        [(
            String,
            @Sendable (ScriptedTransport, HTTPRequest, (any TransferObserver)?) async throws -> HTTPResponse
        )] = [
            (
                "every status is a response",
                { base, request, observer in
                    let response = try await base.send(request, observer: observer)
                    guard response.status.isSuccessful else { throw TransportError(.unknown, "Not 2xx.") }
                    return response
                }
            ),
            (
                "fields arrive unchanged, those of one name combined",
                { base, request, observer in
                    var request = request
                    request.fields.remove(.authorization)
                    return try await base.send(request, observer: observer)
                }
            ),
            (
                "GET arrives unchanged",
                { base, request, observer in
                    try await base.send(HTTPRequest(.options, request.url), observer: observer)
                }
            ),
            (
                "a body of 65536 bytes comes whole",
                { base, request, observer in
                    var response = try await base.send(request, observer: observer)
                    response.body = response.body.dropLast()
                    return response
                }
            ),
            (
                "a response that is closed in the body is an error",
                { base, request, observer in
                    do {
                        return try await base.send(request, observer: observer)
                    } catch let error as TransportError where error.code == .truncated {
                        return HTTPResponse(status: .ok, body: error.bodyPrefix, url: request.url)
                    }
                }
            ),
            (
                "cancelling ends the wait for the head",
                { base, request, observer in
                    try await Task { try await base.send(request, observer: observer) }.value
                }
            ),
            ("received bytes are counted", { base, request, _ in try await base.send(request) }),
            (
                "no events come after a failure",
                { base, request, observer in
                    let earlier = lateObserver.update { late in
                        defer { late = observer }
                        return late
                    }
                    earlier?.transfer(didEmit: .receivedBytes(1, total: nil))
                    return try await base.send(request, observer: observer)
                }
            ),
            (
                "no error shows a secret",
                { base, request, observer in
                    do {
                        return try await base.send(request, observer: observer)
                    } catch let error as TransportError {
                        throw TransportError(error.code, "\(request.url) failed.", request: request)
                    }
                }
            ),
            (
                "the limit on body bytes is inclusive",
                { base, request, observer in
                    var request = request
                    request.options.maximumResponseBytes = .max
                    return try await base.send(request, observer: observer)
                }
            ),
            (
                "a redirect is a response",
                { base, request, observer in
                    try await Redirecting(base: base).send(request, observer: observer)
                }
            ),
            (
                "half a body hits the idle timeout",
                { base, request, observer in
                    do {
                        return try await base.send(request, observer: observer)
                    } catch let error as TransportError {
                        throw TransportError(error.code, error.message, request: request, phase: .total)
                    }
                }
            ),
            (
                "credentials do not follow a redirect to another origin",
                { base, request, observer in
                    var leaking = request
                    try leaking.fields.set(.authorization, to: "Bearer s3cret")
                    return try await base.send(leaking, observer: observer)
                }
            ),
        ]

    @Test(arguments: broken.indices) func `detects a transport with a fault`(index: Int)
        async throws
    {
        let (name, change) = Self.broken[index]
        let conformance = try #require(TransportConformance.cases.first { $0.name == name })
        let subject = ConformanceSubject(inProcess: "Broken") { Broken(base: ScriptedTransport($0), change: change) }
        try await expectFailure(of: conformance, subject, hangs: name == "cancelling ends the wait for the head")
    }

    /// Expects a case to fail, and not by a timeout unless `hangs`.
    private func expectFailure(of conformance: ConformanceCase, _ subject: ConformanceSubject, hangs: Bool) async throws
    {
        let limit: Duration = hangs ? .milliseconds(500) : .seconds(600)
        let failure = await #expect(throws: ConformanceFailure.self, "\(conformance)") {
            try await conformance.check(subject, within: limit)
        }
        #expect(failure?.message.contains("timed out after") == hangs, "\(failure?.message ?? "")")
    }

    /// A transport that streams whole bodies in one chunk, without their last bytes.
    private struct BufferingTransport<Base: StreamingTransport>: StreamingTransport {
        let base: Base
        let lost: Int
        func send(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponse {
            try await base.send(request, observer: observer)
        }
        func stream(
            _ request: HTTPRequest, observer: (any TransferObserver)?
        ) async throws -> HTTPResponseStream {
            let response = try await base.send(request, observer: observer)
            let body = AsyncStream<Data> { continuation in
                continuation.yield(response.body.dropLast(lost))
                continuation.finish()
            }
            return HTTPResponseStream(head: response.head, body: body)
        }
    }

    /// A transport whose streams heed neither the total timeout nor cancellation before the head.
    private struct HeedlessTransport<Base: StreamingTransport>: StreamingTransport {
        let base: Base
        func send(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponse {
            try await base.send(request, observer: observer)
        }
        func stream(
            _ request: HTTPRequest, observer: (any TransferObserver)?
        ) async throws -> HTTPResponseStream {
            var request = request
            request.options.timeouts.total = nil
            return try await Task { [request] in try await base.stream(request, observer: observer) }.value
        }
    }

    @Test func `detects a transport with a fault in streaming`() async throws {
        let lossy = ConformanceSubject(inProcess: "Lossy") { BufferingTransport(base: ScriptedTransport($0), lost: 1) }
        let slow = ConformanceSubject(overSocket: "Slow") {
            BufferingTransport(base: URLSessionTransport(clock: $0), lost: 0)
        }
        let heedless = ConformanceSubject(inProcess: "Heedless") { HeedlessTransport(base: ScriptedTransport($0)) }
        let checks = [
            (heedless, "a missing head of a stream hits the total timeout"),
            (heedless, "cancelling ends the wait for the head of a stream"),
            (lossy, "a streamed body of 1 bytes comes whole"),
            (lossy, "a download leaves its file, and nothing beside it"),
            (slow, "the head comes before the body"), (slow, "pieces come when they are sent"),
            (slow, "a reader that stops early ends the transfer"),
            (slow, "a streamed body that is cut short is an error, after its bytes"),
            (slow, "a download resumes after each of several interruptions"),
        ]
        for (subject, name) in checks {
            let conformance = try #require(TransportConformance.cases.first { $0.name == name })
            try await expectFailure(
                of: conformance, subject,
                hangs: name.contains("head of a stream") || name.contains("when they")
                    || name.contains("before the body") || name.contains("stops early"))
        }
    }
}
