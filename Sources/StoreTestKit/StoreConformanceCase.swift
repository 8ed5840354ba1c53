import Foundation
public import PatchbayTestKit
public import StoreCore

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
public typealias StoreConformanceCase = ConformanceRequirement<StoreSubject>

extension StoreConformanceCase {
    /// Creates a case for stores.
    /// - Parameter body: throws, preferably a `ConformanceFailure`, when the subject does not conform. It is called
    ///   on a thread of its own, with a new store that has the table ``StoreConformance/jacks``.
    public init(
        _ name: String, needs: Set<StoreSubject.Capability> = [],
        _ body: @escaping @Sendable (_ store: any LocalStore, _ subject: StoreSubject) throws -> Void
    ) {
        self.init(name, needs: needs) { subject, end in
            // Stores block their thread, which must not be one of the cooperative pool. It cannot be cancelled.
            Thread.detachNewThread { end(Result { try subject.run { try body($0, subject) } }) }
            return {}
        }
    }

    /// Creates a case that awaits calls of the store.
    /// - Parameter body: as for the other cases; called in a task, which is cancelled when the case times out.
    public init(
        asynchronous name: String, needs: Set<StoreSubject.Capability> = [],
        _ body: @escaping @Sendable (_ store: any LocalStore, _ subject: StoreSubject) async throws -> Void
    ) {
        self.init(name, needs: needs) { subject, end in
            let task = Task {
                do {
                    try await subject.run { try await body($0, subject) }
                    end(.success(()))
                } catch {
                    end(.failure(error))
                }
            }
            return { task.cancel() }
        }
    }
}
