import Synchronization

/// Fake functions of the Objective-C runtime, for which every object has the methods of one table.
///
/// Static, because C functions have no context; logged by receiver, so that tests may run at the same time.
public enum FakeObjectiveC {
    /// A message with its argument registers; those that the method does not use hold anything.
    public struct Message: Sendable {
        /// The name of the method.
        public let selector: String
        /// The first register after receiver and selector.
        public let first: UInt
        /// The second one.
        public let second: UInt
        /// The first floating-point register.
        public let number: Double

        /// The first floating-point register, if it holds a `float`.
        public var float: Float { Float(bitPattern: UInt32(truncatingIfNeeded: number.bitPattern)) }
    }

    /// The types of arguments and of the result, in the runtime's encoding.
    private static let methods: [String: (arguments: [String], result: String)] = [
        "reload": ([], "v"), "done:": (["@"], "v"), "constant:": (["rn@"], "Vv"), "count:": (["@"], "q"),
        "request:didReceiveData:": (["@", "@"], "v"), "request:didReceiveBytes:": (["@", "q"], "v"),
        "setProgress:": (["f"], "v"), "setValue:": (["d"], "v"), "setHidden:": (["B"], "v"), "setFlag:": (["c"], "v"),
        "setTag:": (["i"], "v"), "setSize:": (["Q"], "v"), "setCount:": (["I"], "v"),
        "frame": ([], "{CGRect=dddd}"), "run:": (["@?"], "v"), "add:to:": (["q", "q"], "v"),
        "a:b:c:": (["@", "@", "@"], "v"),
    ]

    private struct State {
        var selectors: [String] = []
        var messages: [UInt: [Message]] = [:]
    }
    private static let state = Mutex(State())

    /// Removes and returns the messages to an object.
    public static func messages(to object: AnyObject) -> [Message] {
        state.withLock { $0.messages.removeValue(forKey: address(of: object)) ?? [] }
    }

    /// The object's address, as it is passed in a register.
    public static func address(of object: AnyObject) -> UInt {
        UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque())
    }

    /// Returns the address of a fake function, or nil.
    public static func symbol(_ name: String) -> UnsafeMutableRawPointer? {
        switch name {
        case "objc_getClass", "object_getClass": unsafeBitCast(getClass, to: UnsafeMutableRawPointer.self)
        case "sel_registerName": unsafeBitCast(selector, to: UnsafeMutableRawPointer.self)
        case "class_getInstanceMethod": unsafeBitCast(getMethod, to: UnsafeMutableRawPointer.self)
        case "method_getNumberOfArguments": unsafeBitCast(countArguments, to: UnsafeMutableRawPointer.self)
        case "method_getArgumentType": unsafeBitCast(getArgument, to: UnsafeMutableRawPointer.self)
        case "method_getReturnType": unsafeBitCast(getResult, to: UnsafeMutableRawPointer.self)
        case "objc_msgSend": unsafeBitCast(send, to: UnsafeMutableRawPointer.self)
        default: nil
        }
    }

    private static let getClass: @convention(c) (UInt) -> UInt = { _ in 16 }
    private static let selector: @convention(c) (UnsafePointer<CChar>) -> UInt = { text in
        let name = String(cString: text)
        return state.withLock { state in
            if !state.selectors.contains(name) { state.selectors.append(name) }
            return UInt(state.selectors.firstIndex(of: name) ?? 0) + 1
        }
    }
    /// A method has the identity of its selector.
    private static let getMethod: @convention(c) (UInt, UInt) -> UInt = { _, selector in
        methods[name(selector)] == nil ? 0 : selector
    }
    private static let countArguments: @convention(c) (UInt) -> UInt32 = { method in
        UInt32(methods[name(method)]?.arguments.count ?? 0) + 2
    }
    private static let getArgument: @convention(c) (UInt, UInt32, UnsafeMutablePointer<CChar>, Int) -> Void = {
        write(methods[name($0)]?.arguments[Int($1) - 2] ?? "", to: $2, size: $3)
    }
    private static let getResult: @convention(c) (UInt, UnsafeMutablePointer<CChar>, Int) -> Void = {
        write(methods[name($0)]?.result ?? "", to: $1, size: $2)
    }
    /// Integers, objects and floating-point numbers have registers of their own on the processors that are used.
    private static let send: @convention(c) (UInt, UInt, UInt, UInt, Double) -> Void = {
        let message = Message(selector: name($1), first: $2, second: $3, number: $4)
        let receiver = $0
        state.withLock { $0.messages[receiver, default: []].append(message) }
    }

    private static func name(_ selector: UInt) -> String { state.withLock { $0.selectors[Int(selector) - 1] } }

    private static func write(_ text: String, to target: UnsafeMutablePointer<CChar>, size: Int) {
        for (index, byte) in (Array(text.utf8.prefix(size - 1)) + [0]).enumerated() {
            target[index] = CChar(bitPattern: byte)
        }
    }
}
