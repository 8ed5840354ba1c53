/// The methods of a class under the names that Objective-C knows them by, for interfaces that take a callback as the
/// name of a method.
///
/// ```swift
/// let table = try SelectorTable<Screen>()
///     .registering("requestFinished:") { (screen, request: Request) in screen.show(request) }
/// try table.perform("requestFinished:", on: screen, with: request)
/// ```
/// Nothing here traps: a name that says another number of arguments than its method takes is refused when it is
/// registered, and performing says what is wrong.
public struct SelectorTable<Target: AnyObject> {
    private struct Method {
        let arity: Int
        /// False when an argument is of another type than the method takes.
        let call: (Target, [Any]) -> Bool
    }

    private var methods: [String: Method] = [:]

    /// An empty table.
    public init() {}

    /// The names that are registered, sorted.
    public var names: [String] { methods.keys.sorted() }

    /// True when the name is registered.
    public func contains(_ name: String) -> Bool { methods[name] != nil }

    /// The table with a method that takes no argument, under a name without a colon.
    /// - Throws: ``SelectorError`` (`malformed`, `alreadyRegistered`).
    public func registering(_ name: String, _ method: @escaping (Target) -> Void) throws(SelectorError) -> Self {
        try registering(name, arity: 0) { target, _ in
            method(target)
            return true
        }
    }

    /// The table with a method that takes one argument, under a name with one colon.
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

    /// The table with a method that takes two arguments, under a name with two colons.
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

    /// Calls a method.
    /// - Throws: ``SelectorError`` (`notRegistered`, `wrongArguments`); then nothing was called.
    public func perform(_ name: String, on target: Target, with arguments: Any...) throws(SelectorError) {
        try call(name, on: target, arguments)
    }

    /// Calls a method, or does nothing when the name is not registered, as a delegate's optional method.
    /// - Returns: true when it was called.
    /// - Throws: ``SelectorError`` (`wrongArguments`); then nothing was called.
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
                "The name has \(colons) colons and its method \(arity) arguments; the numbers must match.")
        }
        guard methods[name] == nil else {
            throw SelectorError(.alreadyRegistered, name, "A method of this name is registered already.")
        }
        var table = self
        table.methods[name] = Method(arity: arity, call: call)
        return table
    }

    private func call(_ name: String, on target: Target, _ arguments: [Any]) throws(SelectorError) {
        guard let method = methods[name] else {
            let known = names.isEmpty ? "none" : names.joined(separator: ", ")
            throw SelectorError(
                .notRegistered, name, "No such method registered for \(Target.self); registered: \(known).")
        }
        guard method.arity == arguments.count, method.call(target, arguments) else {
            let types = arguments.map { "\(type(of: $0))" }.joined(separator: ", ")
            throw SelectorError(.wrongArguments, name, "The method does not accept the arguments (\(types)).")
        }
    }
}
