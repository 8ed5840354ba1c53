import StoreCore
import Synchronization

/// The long lists of IN of one statement, as hash sets that are built when they are first used.
///
/// With them, a scan of n rows for m elements takes n + m steps instead of n * m.
final class SQLListSets: Sendable {
    /// Least number of elements of a long list. A shorter one is compared element by element.
    static let leastCount = 9

    private let seed: HashSeed
    private let sets = Mutex<[ObjectIdentifier: SQLValueSet]>([:])

    init(_ seed: HashSeed) { self.seed = seed }

    /// The elements of a list of the statement's plan.
    /// - Throws: `StoreError` (`failed`) if the evaluation of an element fails.
    func set(of list: BoundExpression.List, _ evaluator: SQLEvaluator) throws(StoreError) -> SQLValueSet {
        let key = ObjectIdentifier(list)
        if let set = sets.withLock({ $0[key] }) { return set }
        // Without the lock: an element may have another list.
        var set = SQLValueSet(seed)
        for element in list.elements {
            set.insert(list.affinity.compared(try evaluator.value(element, in: NoRows(), at: 0)))
        }
        sets.withLock { $0[key] = set }
        return set
    }
}
