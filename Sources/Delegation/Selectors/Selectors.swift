import Synchronization
import SystemLibraries

/// Calls of methods by Objective-C selector, as for targets and optional methods of delegates.
///
/// A selector is first looked up in the object's ``SelectorTarget/selectors``, then, on Apple's platforms, among the
/// methods of its class that Objective-C knows.
public enum Selectors {
    /// Calls a method, on the current thread.
    ///
    /// An Objective-C method may take up to two arguments: an object; or a `float`, `double`, `BOOL` or integer, as its
    /// declaration says; or an object and a second object or integer.
    /// - Returns: false if the object lacks the method.
    /// - Throws: ``SelectorError`` (all codes); the method is not called then.
    @discardableResult
    public static func perform(
        _ selector: String, on target: AnyObject, with arguments: [Any] = []
    ) throws(SelectorError) -> Bool {
        try perform(selector, on: target, with: arguments, messaging: .process)
    }

    /// Returns true when the object has the method.
    public static func responds(_ target: AnyObject, to selector: String) -> Bool {
        responds(target, to: selector, messaging: .process)
    }

    /// The number of arguments of the method of a selector; nil if the object lacks the method.
    /// - Throws: ``SelectorError`` (`malformed`, `alreadyRegistered`) for a mistake in the object's table.
    package static func argumentCount(of selector: String, on target: AnyObject) throws(SelectorError) -> Int? {
        let table = table(of: target)
        try table?.validate()
        return table?.argumentCount(of: selector)
            ?? ObjectiveCMessaging.process?.argumentCount(of: selector, on: target)
    }

    static func perform(
        _ selector: String, on target: AnyObject, with arguments: [Any], messaging: ObjectiveCMessaging?
    ) throws(SelectorError) -> Bool {
        if let table = table(of: target), try table.perform(selector, on: target, arguments) { return true }
        return switch messaging?.send(selector, to: target, arguments) {
        case .called: true
        case .wrongArguments: throw .wrongArguments(selector, on: target, arguments)
        case .missingMethod, nil: false
        }
    }

    static func responds(_ target: AnyObject, to selector: String, messaging: ObjectiveCMessaging?) -> Bool {
        table(of: target)?.contains(selector) == true || messaging?.responds(target, to: selector) == true
    }

    /// The tables of all classes that were looked up; nil for a class without one.
    private static let tables = Mutex<[ObjectIdentifier: SelectorTable?]>([:])

    private static func table(of target: AnyObject) -> SelectorTable? {
        let key = ObjectIdentifier(type(of: target))
        if let known = tables.withLock({ $0[key] }) { return known }
        // Code of the app, so it runs without the lock.
        let table = (target as? any SelectorTarget).map { type(of: $0).selectors }
        tables.withLock { _ = $0.updateValue(table, forKey: key) }
        return table
    }
}
