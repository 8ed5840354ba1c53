/// A hash table of a class's methods by selector.
///
/// A mistake in it, such as a wrong number of colons, is an error of ``validate()`` and of each call by a selector on
/// an object of the class.
public struct SelectorTable: Sendable, ExpressibleByArrayLiteral {
    private var methods: [String: SelectorMethod] = [:]
    private var mistake: SelectorError?

    /// Creates a table, in which each selector may occur once.
    public init(arrayLiteral methods: SelectorMethod...) {
        for method in methods { add(method) }
    }

    /// Returns the table of a subclass: methods of `more` replace those of `base` with the same selector.
    public static func + (base: SelectorTable, more: SelectorTable) -> SelectorTable {
        var table = base
        table.methods.merge(more.methods) { $1 }
        table.mistake = base.mistake ?? more.mistake
        return table
    }

    /// The selectors, sorted.
    public var selectors: [String] { methods.keys.sorted() }

    /// Checks the table, for tests of an app.
    /// - Throws: the first mistake, ``SelectorError`` (`malformed`, `alreadyRegistered`).
    public func validate() throws(SelectorError) {
        if let mistake { throw mistake }
    }

    /// Returns true when the table has a method for the selector.
    func contains(_ selector: String) -> Bool { methods[selector] != nil }

    /// The number of arguments of the method of a selector; nil if the table has none.
    func argumentCount(of selector: String) -> Int? { methods[selector]?.argumentCount }

    /// Calls the method of a selector; returns false if the table has none.
    /// - Throws: ``SelectorError``; the method is not called then.
    func perform(_ selector: String, on target: AnyObject, _ arguments: [Any]) throws(SelectorError) -> Bool {
        try validate()
        guard let method = methods[selector] else { return false }
        do {
            try method.call(on: target, arguments)
        } catch {
            throw switch error {
            case .wrongArguments: .wrongArguments(selector, on: target, arguments)
            case .notOnMainThread: .notOnMainThread(selector)
            }
        }
        return true
    }

    private mutating func add(_ method: SelectorMethod) {
        let selector = method.selector
        let count = method.argumentCount
        let colons = selector.utf8.count { $0 == UInt8(ascii: ":") }
        if selector.isEmpty || colons != count || (count > 0 && selector.utf8.last != UInt8(ascii: ":")) {
            note(
                .malformed, selector,
                "Selector does not fit a method of \(count) arguments; write a colon for each, the last at the end.")
        } else if methods[selector] != nil {
            note(.alreadyRegistered, selector, "Selector is already in the table; remove one of the two.")
        }
        methods[selector] = method
    }

    /// Keeps the first mistake.
    private mutating func note(_ code: SelectorError.Code, _ selector: String, _ message: String) {
        mistake = mistake ?? SelectorError(code, selector, message)
    }
}

extension SelectorError {
    /// An error with the types of the arguments, without their values, which may be secrets.
    static func wrongArguments(_ selector: String, on target: AnyObject, _ arguments: [Any]) -> SelectorError {
        let types = arguments.map { "\(type(of: $0))" }.joined(separator: ", ")
        return SelectorError(
            .wrongArguments, selector,
            "Method of \(type(of: target)) does not take these arguments: (\(types)); declare it with these types.")
    }

    static func notOnMainThread(_ selector: String) -> SelectorError {
        SelectorError(
            .notOnMainThread, selector,
            "Method is isolated to the main actor; call it on the main thread, as `Delivery.main` does.")
    }
}
