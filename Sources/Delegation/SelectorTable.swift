/// A table of a class's methods by Objective-C selector, for APIs that take callbacks as selectors.
///
/// ```swift
/// let table = try SelectorTable<Screen>()
///     .registering("requestFinished:") { (screen, request: Request) in screen.show(request) }
/// try table.perform("requestFinished:", on: screen, with: request)
/// ```
/// Nothing traps: mismatched argument counts throw on registration, and unknown selectors or wrong arguments throw on
/// performing.
public struct SelectorTable<Target: AnyObject> {
    private struct Method {
        let arity: Int
        /// Returns false when an argument has the wrong type.
        let call: (Target, [Any]) -> Bool
    }

    private var methods: [String: Method] = [:]

    /// Creates an empty table.
    public init() {}

    /// The registered selectors, sorted.
    public var names: [String] { methods.keys.sorted() }

    /// Returns true when the selector is registered.
    public func contains(_ name: String) -> Bool { methods[name] != nil }

    /// Returns the table with a method without arguments; its selector has no colon.
    /// - Throws: ``SelectorError`` (`malformed`, `alreadyRegistered`).
    public func registering(_ name: String, _ method: @escaping (Target) -> Void) throws(SelectorError) -> Self {
        try registering(name, arity: 0) { target, _ in
            method(target)
            return true
        }
    }

    /// Returns the table with a method of one argument; its selector has one colon.
    /// - Throws: ``SelectorError`` (`malformed`, `alreadyRegistered`).
    public func registering<Argument>(
        _ name: String, _ method: @escaping (Target, Argument) -> Void
    ) throws(SelectorError) -> Self {
        try registering(name, arity: 1) { target, arguments in
            guard let argument = arguments[0] as? Argument else { return false }
            method(target, argument)
            return true
        }
    }

    /// Returns the table with a method of two arguments; its selector has two colons.
    /// - Throws: ``SelectorError`` (`malformed`, `alreadyRegistered`).
    public func registering<First, Second>(
        _ name: String, _ method: @escaping (Target, First, Second) -> Void
    ) throws(SelectorError) -> Self {
        try registering(name, arity: 2) { target, arguments in
            guard let first = arguments[0] as? First, let second = arguments[1] as? Second else { return false }
            method(target, first, second)
            return true
        }
    }

    /// Calls the method of a selector.
    /// - Throws: ``SelectorError`` (`notRegistered`, `wrongArguments`), without calling the method.
    public func perform(_ name: String, on target: Target, with arguments: Any...) throws(SelectorError) {
        try call(name, on: target, arguments)
    }

    /// Calls the method of a selector if it is registered, as for an optional delegate method.
    /// - Returns: true when the method was called.
    /// - Throws: ``SelectorError`` (`wrongArguments`), without calling the method.
    @discardableResult
    public func performIfRegistered(
        _ name: String, on target: Target, with arguments: Any...
    ) throws(SelectorError) -> Bool {
        guard contains(name) else { return false }
        try call(name, on: target, arguments)
        return true
    }

    private func registering(
        _ name: String, arity: Int, _ call: @escaping (Target, [Any]) -> Bool
    ) throws(SelectorError) -> Self {
        let colons = name.count { $0 == ":" }
        guard !name.isEmpty, colons == arity, arity == 0 || name.last == ":" else {
            throw SelectorError(
                .malformed, name,
                "Selector has \(colons) colons, but its method takes \(arity) arguments; the numbers must match.")
        }
        guard methods[name] == nil else {
            throw SelectorError(.alreadyRegistered, name, "Selector is already registered; use another name.")
        }
        var table = self
        table.methods[name] = Method(arity: arity, call: call)
        return table
    }

    private func call(_ name: String, on target: Target, _ arguments: [Any]) throws(SelectorError) {
        guard let method = methods[name] else {
            let known = names.isEmpty ? "none" : names.joined(separator: ", ")
            throw SelectorError(
                .notRegistered, name, "Unrecognized selector for \(Target.self); registered: \(known).")
        }
        guard method.arity == arguments.count, method.call(target, arguments) else {
            let types = arguments.map { "\(type(of: $0))" }.joined(separator: ", ")
            throw SelectorError(.wrongArguments, name, "Wrong arguments for the method: (\(types)).")
        }
    }
}
