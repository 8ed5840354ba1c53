import Foundation
@_exported public import PatchbayErrors
import Transport

/// Checks that a call completes exactly once: with one success, failure or cancellation.
///
/// ```swift
/// let once = ExactlyOnce<Data>("fetch")
/// client.fetch(onSuccess: once.succeed, onFailure: once.fail)
/// _ = try await once.outcome  // the first completion
/// client.shutDown()  // a second completion would have happened by now
/// try once.check()
/// ```
///
/// Its methods are safe to call on any thread.
public final class ExactlyOnce<Value: Sendable>: Sendable {
    /// How a call completed.
    public enum Outcome: Sendable {
        /// With a value.
        case success(Value)
        /// With an error.
        case failure(any Error)
        /// Because it was cancelled.
        case cancellation
    }

    private let name: String
    private let completions = Watched<[Outcome]>([])

    /// Creates a check of one call.
    /// - Parameter name: names the call in errors.
    public init(_ name: String = "The call") { self.name = name }

    /// Records a success.
    public func succeed(_ value: Value) { end(.success(value)) }
    /// Records a failure.
    public func fail(_ error: any Error) { end(.failure(error)) }
    /// Records a cancellation.
    public func cancel() { end(.cancellation) }
    /// Records a completion.
    public func end(_ outcome: Outcome) { completions.update { $0.append(outcome) } }

    /// Runs `body` and records its result. `CancellationError` and a `TransportError` with the code `cancelled` are
    /// cancellations.
    public func run(_ body: () async throws -> Value) async {
        do { succeed(try await body()) } catch { error.isCancellation ? cancel() : fail(error) }
    }

    /// The number of completions so far.
    public var count: Int { completions.value.count }

    /// All completions so far, in order.
    public var outcomes: [Outcome] { completions.value }

    /// The first completion; suspends until there is one.
    /// - Throws: `CancellationError` when the task is cancelled first.
    public var outcome: Outcome {
        get async throws {
            let completions = try await completions.wait { !$0.isEmpty }
            return completions[0]
        }
    }

    /// Whether the call has completed exactly once so far.
    public var verdict: CompletionVerdict { CompletionVerdict(count: count) }

    /// Checks that the call has completed exactly once.
    /// - Throws: ``CompletionError``.
    public func check() throws(CompletionError) {
        switch verdict {
        case .exactlyOnce: return
        case .never: throw CompletionError(violations: ["\(name) never completed"])
        case .moreThanOnce(let count): throw CompletionError(violations: ["\(name) completed \(count) times"])
        }
    }
}

/// Whether a call completed once, never or several times.
public enum CompletionVerdict: Hashable, Sendable, CustomStringConvertible {
    /// Correct.
    case exactlyOnce
    /// Not yet, or never.
    case never
    /// Several times, with their number.
    case moreThanOnce(Int)

    init(count: Int) {
        self =
            switch count {
            case 0: .never
            case 1: .exactlyOnce
            default: .moreThanOnce(count)
            }
    }

    /// The verdict as text, such as `3 times`.
    public var description: String {
        switch self {
        case .exactlyOnce: "exactly once"
        case .never: "never"
        case .moreThanOnce(let count): "\(count) times"
        }
    }
}

/// The error for calls that did not complete exactly once.
public struct CompletionError: PatchbayError, Hashable {
    /// The kind of failure.
    public var code: Code { .notExactlyOnce }
    /// One description per violating call.
    public let violations: [String]

    /// All violations in one sentence.
    public var message: String { "Calls must complete exactly once, but \(violations.joined(separator: "; "))." }
    /// The message.
    public var description: String { message }
}

extension ErrorCode where Failure == CompletionError {
    /// A call completed never, or more than once.
    public static var notExactlyOnce: Self { Self(1) }
}
