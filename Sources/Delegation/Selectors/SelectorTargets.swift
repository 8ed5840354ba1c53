/// A list of objects that are called by selectors, each referenced weakly.
public struct SelectorTargets: Sendable {
    private var targets: [WeakTarget] = []

    /// Creates an empty list.
    public init() {}

    /// The living objects, in the order in which they were added.
    public var objects: [AnyObject] { targets.compactMap(\.object) }

    /// Adds an object, unless the list has it already.
    public mutating func add(_ target: AnyObject) {
        // Also drops the references to released objects.
        targets.removeAll { $0.object == nil }
        if !targets.contains(where: { $0.object === target }) { targets.append(WeakTarget(target)) }
    }

    /// Removes an object; no effect if the list does not have it.
    public mutating func remove(_ target: AnyObject) {
        targets.removeAll { $0.object == nil || $0.object === target }
    }

    /// Calls a method of each living object that has it, in order, on the current thread.
    /// - Returns: the number of methods called.
    /// - Throws: the first ``SelectorError``, after the other objects have been called.
    @discardableResult
    public func perform(_ selector: String, with arguments: [Any] = []) throws(SelectorError) -> Int {
        var count = 0
        var failure: SelectorError?
        for object in objects {
            do {
                if try Selectors.perform(selector, on: object, with: arguments) { count += 1 }
            } catch {
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
        return count
    }
}
