import Foundation
@_exported public import PatchbayErrors
import Transport

/// Watches that a call ends exactly once: in one success, one failure or one cancellation.
///
/// ```swift
/// let once = ExactlyOnce<Data>("fetch")
/// client.fetch(onSuccess: once.succeed, onFailure: once.fail)
/// _ = try await once.outcome  // waits for the first end
/// client.shutDown()  // whatever could end it a second time has had its chance
/// try once.check()
/// ```
///
/// Its methods may be called on any thread.
public final class ExactlyOnce<Value: Sendable>: Sendable {
    /// How a call ended.
    public enum Outcome: Sendable {
        /// With a value.
        case success(Value)
        /// With an error.
        case failure(any Error)
        /// Because it was cancelled.
        case cancellation
    }

    private let name: String
    private let ends = Watched<[Outcome]>([])

    /// Watches one call.
    /// - Parameter name: names the call in errors.
    public init(_ name: String = "The call") { self.name = name }

    /// The call has succeeded.
    public func succeed(_ value: Value) { end(.success(value)) }
    /// The call has failed.
    public func fail(_ error: any Error) { end(.failure(error)) }
    /// The call was cancelled.
    public func cancel() { end(.cancellation) }
    /// The call has ended.
    public func end(_ outcome: Outcome) { ends.update { $0.append(outcome) } }

    /// Does something that ends by returning or throwing, and counts that. `CancellationError` and a `TransportError`
    /// with the code `cancelled` are cancellations.
    public func run(_ body: () async throws -> Value) async {
        do { succeed(try await body()) } catch { error.isCancellation ? cancel() : fail(error) }
    }

    /// How often the call has ended so far.
    public var count: Int { ends.value.count }

    /// All ends so far, in order.
    public var outcomes: [Outcome] { ends.value }

    /// The first end, as soon as there is one.
    /// - Throws: `CancellationError` when the task is cancelled before that.
    public var outcome: Outcome {
        get async throws {
            let ends = try await ends.wait { !$0.isEmpty }
            return ends[0]
        }
    }

    /// Whether the rule holds so far.
    public var verdict: CompletionVerdict { CompletionVerdict(count: count) }

    /// Checks that the call has ended, and only once.
    /// - Throws: ``CompletionError``.
    public func check() throws(CompletionError) {
        if verdict != .exactlyOnce { throw CompletionError(violations: ["\(name) ended \(verdict)"]) }
    }
}

extension Error {
    /// True for the errors that say that a call was cancelled.
    var isCancellation: Bool { self is CancellationError || (self as? TransportError)?.code == .cancelled }
}

/// How often a call has ended, judged.
public enum CompletionVerdict: Hashable, Sendable, CustomStringConvertible {
    /// As it should.
    case exactlyOnce
    /// Not yet, or never.
    case never
    /// So many times.
    case moreThanOnce(Int)

    init(count: Int) {
        self =
            switch count {
            case 0: .never
            case 1: .exactlyOnce
            default: .moreThanOnce(count)
            }
    }

    /// In words.
    public var description: String {
        switch self {
        case .exactlyOnce: "exactly once"
        case .never: "never"
        case .moreThanOnce(let count): "\(count) times"
        }
    }
}

/// Calls that did not end exactly once.
public struct CompletionError: PatchbayError, Hashable {
    /// What kind of failure it is.
    public struct Code: PatchbayErrorCode {
        /// The name in Swift.
        public let name: String
        /// The code as an `NSError`.
        public let number: Int

        /// A call ended never, or more than once.
        public static let notExactlyOnce = Code(name: "notExactlyOnce", number: 1)
    }

    /// What kind of failure it is.
    public var code: Code { .notExactlyOnce }
    /// One text for each such call.
    public let violations: [String]

    /// All of them.
    public var message: String { "Every call ends exactly once, but: \(violations.joined(separator: "; "))." }
    /// The message.
    public var description: String { message }
}
