/// Objective-C messages to objects of any class, with arguments as the called method declares them.
///
/// A method has at most two arguments: an object, a number or a truth value; or an object and a second object or
/// integer. It returns nothing, an object or a number, which is ignored.
package struct ObjectiveCMessaging: Sendable {
    /// The result of sending a message.
    package enum Outcome: Sendable {
        /// The method was called.
        case called
        /// The object has no method with this selector.
        case missingMethod
        /// The number or types of arguments differ from the method's, or cannot be passed; the method was not called.
        case wrongArguments
    }

    private typealias GetClass = @convention(c) @Sendable (OpaquePointer) -> OpaquePointer?
    private typealias GetMethod = @convention(c) @Sendable (OpaquePointer, OpaquePointer) -> OpaquePointer?
    private typealias CountArguments = @convention(c) @Sendable (OpaquePointer) -> UInt32
    private typealias GetArgument =
        @convention(c) @Sendable (
            OpaquePointer, UInt32, UnsafeMutablePointer<CChar>, Int
        ) -> Void
    private typealias GetResult = @convention(c) @Sendable (OpaquePointer, UnsafeMutablePointer<CChar>, Int) -> Void

    /// The functions of this process; nil on platforms without Objective-C, such as Linux.
    package static let process = ObjectiveCMessaging(symbol: ObjectiveCRuntime.processSymbol)

    private let runtime: ObjectiveCRuntime
    private let getClass: GetClass
    private let getMethod: GetMethod
    private let countArguments: CountArguments
    private let getArgument: GetArgument
    private let getResult: GetResult

    /// - Parameter symbol: returns the address of a C function, or nil.
    package init?(symbol: (String) -> UnsafeMutableRawPointer?) {
        guard let runtime = ObjectiveCRuntime(symbol: symbol), let getClass = symbol("object_getClass"),
            let getMethod = symbol("class_getInstanceMethod"),
            let countArguments = symbol("method_getNumberOfArguments"),
            let getArgument = symbol("method_getArgumentType"), let getResult = symbol("method_getReturnType")
        else { return nil }
        self.runtime = runtime
        self.getClass = unsafeBitCast(getClass, to: GetClass.self)
        self.getMethod = unsafeBitCast(getMethod, to: GetMethod.self)
        self.countArguments = unsafeBitCast(countArguments, to: CountArguments.self)
        self.getArgument = unsafeBitCast(getArgument, to: GetArgument.self)
        self.getResult = unsafeBitCast(getResult, to: GetResult.self)
    }

    /// Returns true when the object's class has a method with this selector.
    package func responds(_ object: AnyObject, to selector: String) -> Bool { method(selector, of: object) != nil }

    /// The number of arguments of the method with this selector; nil if the object's class has none.
    package func argumentCount(of selector: String, on object: AnyObject) -> Int? {
        // The first two arguments of each method are the object and the selector.
        method(selector, of: object).map { Int(countArguments($0.method)) - 2 }
    }

    /// Calls the method of a selector, on the current thread.
    package func send(_ selector: String, to object: AnyObject, _ values: [Any]) -> Outcome {
        guard let (selector, method) = method(selector, of: object) else { return .missingMethod }
        // Structures and arrays are returned in memory, by another function on some processors.
        guard let result = text({ getResult(method, $0, $1) }).first, !"{([D".contains(result) else {
            return .wrongArguments
        }
        // The first two arguments of each method are the object and the selector.
        guard Int(countArguments(method)) == values.count + 2 else { return .wrongArguments }
        let arguments = values.enumerated().compactMap { index, value in
            ObjectiveCArgument(value, encoding: text { getArgument(method, UInt32(index + 2), $0, $1) })
        }
        guard arguments.count == values.count else { return .wrongArguments }
        let message = Message(function: runtime.messageFunction, receiver: pointer(to: object), selector: selector)
        return withExtendedLifetime(object) { message.send(arguments) } ? .called : .wrongArguments
    }

    private func method(_ selector: String, of object: AnyObject) -> (selector: OpaquePointer, method: OpaquePointer)? {
        guard let name = runtime.selector(selector), let type = getClass(pointer(to: object)),
            let method = getMethod(type, name)
        else { return nil }
        return (name, method)
    }

    /// Returns a type in the runtime's encoding, without the qualifiers that precede it, such as `r` for `const`.
    private func text(_ write: (UnsafeMutablePointer<CChar>, Int) -> Void) -> String {
        let bytes = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { buffer -> [UInt8] in
            buffer.initialize(repeating: 0)
            guard let start = buffer.baseAddress else { return [] }
            write(start, buffer.count - 1)
            return buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:))
        }
        return String(decoding: bytes.drop { "rnNoORV".utf8.contains($0) }, as: UTF8.self)
    }
}

/// A call of `objc_msgSend`, as a function of the C type of each kind of method.
private struct Message {
    private typealias Send = @convention(c) (OpaquePointer, OpaquePointer) -> Void
    private typealias SendObject = @convention(c) (OpaquePointer, OpaquePointer, OpaquePointer?) -> Void
    private typealias SendInteger = @convention(c) (OpaquePointer, OpaquePointer, Int64) -> Void
    private typealias SendFloat = @convention(c) (OpaquePointer, OpaquePointer, Float) -> Void
    private typealias SendDouble = @convention(c) (OpaquePointer, OpaquePointer, Double) -> Void
    private typealias SendObjects =
        @convention(c) (
            OpaquePointer, OpaquePointer, OpaquePointer?, OpaquePointer?
        ) -> Void
    private typealias SendObjectAndInteger =
        @convention(c) (
            OpaquePointer, OpaquePointer, OpaquePointer?, Int64
        ) -> Void

    let function: UnsafeRawPointer
    let receiver: OpaquePointer
    let selector: OpaquePointer

    /// Returns false, without a call, if there is no function for these arguments.
    func send(_ arguments: [ObjectiveCArgument]) -> Bool {
        withExtendedLifetime(arguments) {
            switch (arguments.count, arguments.first, arguments.last) {
            case (0, _, _):
                unsafeBitCast(function, to: Send.self)(receiver, selector)
            case (1, .object(let object), _):
                unsafeBitCast(function, to: SendObject.self)(receiver, selector, object.map(pointer))
            case (1, .integer(let integer), _):
                unsafeBitCast(function, to: SendInteger.self)(receiver, selector, integer)
            case (1, .float(let number), _):
                unsafeBitCast(function, to: SendFloat.self)(receiver, selector, number)
            case (1, .double(let number), _):
                unsafeBitCast(function, to: SendDouble.self)(receiver, selector, number)
            case (2, .object(let first), .object(let second)):
                unsafeBitCast(function, to: SendObjects.self)(
                    receiver, selector, first.map(pointer), second.map(pointer))
            case (2, .object(let object), .integer(let integer)):
                unsafeBitCast(function, to: SendObjectAndInteger.self)(
                    receiver, selector, object.map(pointer), integer)
            default: return false
            }
            return true
        }
    }
}

private func pointer(to object: AnyObject) -> OpaquePointer {
    OpaquePointer(Unmanaged.passUnretained(object).toOpaque())
}
