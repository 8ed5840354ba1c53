/// A method with its Objective-C selector, an element of a ``SelectorTable``.
public struct SelectorMethod: Sendable {
    /// The selector, with one colon for each argument.
    public let selector: String

    let argumentCount: Int
    private let invoke: @Sendable (_ target: AnyObject, _ arguments: [Any]) throws(Failure) -> Void

    /// The reason why a method was not called.
    enum Failure: Error {
        case wrongArguments
        case notOnMainThread
    }

    /// Creates a method with any number of arguments.
    /// - Parameters:
    ///   - selector: a name, and a colon for each argument: `"requestDone:"`, `"request:didReceiveData:"`.
    ///   - method: such as `Screen.requestDone`; an override in a subclass is called instead.
    public static func method<Target: AnyObject, each Argument>(
        _ selector: String, _ method: @escaping @Sendable (Target) -> (repeat each Argument) -> Void
    ) -> SelectorMethod {
        SelectorMethod(selector, count((repeat each Argument).self)) { target, arguments throws(Failure) in
            guard let target = target as? Target else { throw .wrongArguments }
            var rest = arguments[...]
            method(target)(repeat try next(&rest, as: (each Argument).self))
        }
    }

    /// Creates a method that is isolated to the main actor; a call on another thread is an error.
    /// - Parameters:
    ///   - selector: a name, and a colon for each argument.
    ///   - method: such as `Screen.requestDone`; an override in a subclass is called instead.
    public static func mainActorMethod<Target: AnyObject, each Argument>(
        _ selector: String,
        _ method: @escaping @Sendable @MainActor (Target) -> @MainActor (repeat each Argument) -> Void
    ) -> SelectorMethod {
        SelectorMethod(selector, count((repeat each Argument).self)) { target, arguments throws(Failure) in
            guard MainQueue.isCurrent else { throw .notOnMainThread }
            // They do not leave the current thread, which is the main actor's.
            nonisolated(unsafe) let (target, arguments) = (target as? Target, arguments)
            let isCalled = MainActor.assumeIsolated {
                var rest = arguments[...]
                guard let target, let values = try? (repeat next(&rest, as: (each Argument).self)) else { return false }
                method(target)(repeat each values)
                return true
            }
            guard isCalled else { throw .wrongArguments }
        }
    }

    private init(
        _ selector: String, _ argumentCount: Int,
        _ invoke: @escaping @Sendable (AnyObject, [Any]) throws(Failure) -> Void
    ) {
        self.selector = selector
        self.argumentCount = argumentCount
        self.invoke = invoke
    }

    /// Calls the method.
    func call(on target: AnyObject, _ arguments: [Any]) throws(Failure) {
        guard arguments.count == argumentCount else { throw .wrongArguments }
        try invoke(target, arguments)
    }

    private static func count<each Argument>(_: (repeat each Argument).Type) -> Int {
        var count = 0
        for _ in repeat (each Argument).self { count += 1 }
        return count
    }

    private static func next<Argument>(_ rest: inout ArraySlice<Any>, as: Argument.Type) throws(Failure) -> Argument {
        // In two steps, since an optional would itself be an `Any`.
        guard let value = rest.popFirst(), let argument = value as? Argument else { throw .wrongArguments }
        return argument
    }
}
