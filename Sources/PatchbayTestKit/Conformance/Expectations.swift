import Foundation
import HTTPMessages
import Transport

/// Fails the case unless something is true.
func expect(_ isTrue: Bool, _ message: @autoclosure () -> String) throws(ConformanceFailure) {
    if !isTrue { throw ConformanceFailure(message()) }
}

/// Fails the case unless two values are equal.
func expect<Value: Equatable>(
    _ value: Value, is expected: Value, _ what: @autoclosure () -> String
) throws(ConformanceFailure) {
    if value != expected { throw ConformanceFailure("\(what()) is \(value) instead of \(expected)") }
}

/// Fails the case unless two bodies are equal.
func expect(_ body: Data, is expected: Data) throws(ConformanceFailure) {
    guard body != expected else { return }
    throw ConformanceFailure("the body has \(body.count) bytes, not the \(expected.count) that were expected")
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
        throw ConformanceFailure("it succeeded with \(value), and should have failed with \(codes)")
    } catch let error as TransportError {
        try expect(codes.contains(error.code), "it failed with \(error), and not with \(codes)")
        return error
    } catch let failure as ConformanceFailure {
        throw failure
    } catch {
        throw ConformanceFailure("it failed with \(error), which is no TransportError")
    }
}

/// Fails the case unless something is refused before it is sent.
func expectRefusal(
    _ code: HTTPMessageError.Code, _ what: String, of make: () throws -> some Any
) throws(ConformanceFailure) {
    do {
        _ = try make()
    } catch let error as HTTPMessageError where error.code == code {
        return
    } catch {
        throw ConformanceFailure("\(what) is refused with \(error), and not with \(code)")
    }
    throw ConformanceFailure("\(what) is not refused")
}

extension HTTPService where Self == ClosureService {
    /// Answers with the body that came.
    static var echo: Self { ClosureService { $0.reply(body: try await $0.body.collect()) } }

    /// Answers with a text of ten bytes.
    static var text: Self { ClosureService { $0.reply(text: "0123456789") } }
}

extension HTTPRequest {
    /// Path and query as they are in the URL.
    var target: String {
        String(url.absoluteString.dropFirst((url.scheme ?? "").count + 3).drop { $0 != "/" })
    }
}

extension Data {
    /// Bytes without a pattern. Its length divides nothing that is usual.
    private static let block: Data = {
        var generator = SeededGenerator(seed: 1)
        return Data((0..<65_521).map { _ in UInt8(truncatingIfNeeded: generator.next()) })
    }()

    /// So many bytes, the same each time; long ones repeat a block.
    static func sample(_ count: Int) -> Data {
        var data = Data(capacity: count + block.count)
        while data.count < count { data.append(block) }
        return data.prefix(count)
    }
}

/// An asynchronous sequence of these pieces.
func stream(_ pieces: [Data]) -> AsyncStream<Data> {
    AsyncStream { continuation in
        for piece in pieces { continuation.yield(piece) }
        continuation.finish()
    }
}
