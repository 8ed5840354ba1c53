import Foundation
public import LocalStore

/// One requirement of a store.
///
/// Write your own for what your store guarantees beyond ``StoreConformance``:
///
/// ```swift
/// let counts = StoreConformanceCase("counts rows") { store, _ in
///     try store.execute("INSERT INTO jack (id) VALUES (1)")
///     guard try store.rows("SELECT count(*) FROM jack") == [[1]] else { throw ConformanceFailure("wrong count") }
/// }
/// ```
public struct StoreConformanceCase: Sendable, CustomStringConvertible {
    /// The requirement. Exclusions refer to this name.
    public let name: String
    /// The capabilities without which the case does not apply.
    public let needs: Set<StoreSubject.Capability>
    private let body: @Sendable (any LocalStore, StoreSubject) throws -> Void

    /// Creates a case.
    /// - Parameter body: throws, preferably a ``ConformanceFailure``, when the subject does not conform. It is called on
    ///   a thread of its own, with a new store that has the table ``StoreConformance/jacks``.
    public init(
        _ name: String, needs: Set<StoreSubject.Capability> = [],
        _ body: @escaping @Sendable (_ store: any LocalStore, _ subject: StoreSubject) throws -> Void
    ) {
        self.name = name
        self.needs = needs
        self.body = body
    }

    /// The name.
    public var description: String { name }

    /// Runs this case on a subject, if it applies.
    ///
    /// An excluded case runs too, and fails when it passes, because the exclusion is obsolete then. A case that hangs
    /// or ends the process is not run.
    /// - Parameter limit: a timeout for hanging cases; long by default, for busy machines.
    /// - Throws: ``ConformanceFailure``, or `CancellationError` when the task is cancelled.
    @discardableResult
    public func check(
        _ subject: StoreSubject, within limit: Duration = .seconds(600)
    ) async throws -> ConformanceVerdict {
        if let missing = needs.subtracting(subject.capabilities).first { return .notApplicable("requires \(missing)") }
        let run = ConformanceRun(caseName: name, subject: subject.name) { [body] end in
            // Stores block their thread, which must not be one of the cooperative pool. It cannot be cancelled.
            Thread.detachNewThread { end(Result { try subject.run { try body($0, subject) } }) }
            return {}
        }
        return try await run.check(subject.exclusions[name], within: limit)
    }
}
