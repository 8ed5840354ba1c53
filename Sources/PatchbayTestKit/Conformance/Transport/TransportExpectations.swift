import Foundation
import HTTPMessages
import Transport

/// Fails the case unless two bodies are equal.
func expect(_ body: Data, is expected: Data) throws(ConformanceFailure) {
    guard body != expected else { return }
    throw ConformanceFailure("the body differs: \(body.count) bytes, expected \(expected.count)")
}

/// Fails the case unless a call fails with one of these codes.
/// - Returns: the error.
@discardableResult
func expectError(
    _ codes: TransportError.Code..., of call: () async throws -> some Sendable
) async throws(ConformanceFailure) -> TransportError {
    try await expectError(codes, of: call)
}

/// Fails the case unless a call fails with one of these codes.
/// - Returns: the error.
@discardableResult
func expectError(
    _ codes: [TransportError.Code], of call: () async throws -> some Sendable
) async throws(ConformanceFailure) -> TransportError {
    do {
        let value = try await call()
        throw ConformanceFailure("expected a failure with \(codes), got \(value)")
    } catch let error as TransportError {
        try expect(codes.contains(error.code), "expected a failure with \(codes), got \(error)")
        return error
    } catch let failure as ConformanceFailure {
        throw failure
    } catch {
        throw ConformanceFailure("expected a TransportError, got \(error)")
    }
}

/// Fails the case unless creating a request throws an error with this code.
func expectRefusal(
    _ code: HTTPMessageError.Code, _ what: String, of make: () throws -> some Any
) throws(ConformanceFailure) {
    do {
        _ = try make()
    } catch let error as HTTPMessageError where error.code == code {
        return
    } catch {
        throw ConformanceFailure("\(what): expected \(code), got \(error)")
    }
    throw ConformanceFailure("\(what): expected \(code), got no error")
}

extension HTTPService where Self == ClosureService {
    /// Echoes the request body.
    static var echo: Self { ClosureService { $0.response(body: try await $0.body.collect()) } }

    /// Responds with the method and the target of the request.
    static var target: Self { ClosureService { $0.response(text: "\($0.method) \($0.target)") } }

    /// Responds with ten bytes, of a media type that no engine sniffs: it would report the head later.
    static var text: Self {
        ClosureService {
            $0.response(fields: try HTTPFields(["Content-Type": "application/json"]), body: Data("0123456789".utf8))
        }
    }
}

extension HTTPRequest {
    /// The raw path and query of the URL.
    var target: String {
        String(url.absoluteString.dropFirst((url.scheme ?? "").count + 3).drop { $0 != "/" })
    }
}

extension Data {
    /// Random bytes. The length is prime, so copies never align with usual buffer sizes.
    private static let block: Data = {
        var generator = SeededGenerator(seed: 1)
        return Data((0..<65_521).map { _ in UInt8(truncatingIfNeeded: generator.next()) })
    }()

    /// `count` reproducible bytes: copies of ``block``.
    static func sample(_ count: Int) -> Data {
        var data = Data(capacity: count + block.count)
        while data.count < count { data.append(block) }
        return data.prefix(count)
    }
}

/// An asynchronous sequence of the given pieces.
func stream(_ pieces: [Data]) -> AsyncStream<Data> {
    AsyncStream { continuation in
        for piece in pieces { continuation.yield(piece) }
        continuation.finish()
    }
}
