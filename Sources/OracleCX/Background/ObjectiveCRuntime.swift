import Foundation

/// The functions of the Objective-C runtime that send messages to `UIApplication`, found by name at run time.
struct ObjectiveCRuntime: Sendable {
    typealias Block = @convention(block) @Sendable () -> Void
    private typealias Find = @convention(c) @Sendable (UnsafePointer<CChar>) -> OpaquePointer?
    // Several types of one function: the C type of `objc_msgSend` is that of the method it calls.
    private typealias Send = @convention(c) @Sendable (OpaquePointer, OpaquePointer) -> OpaquePointer?
    private typealias SendBlock = @convention(c) @Sendable (OpaquePointer, OpaquePointer, Block?) -> UInt
    private typealias SendInteger = @convention(c) @Sendable (OpaquePointer, OpaquePointer, UInt) -> Void

    /// The runtime of this process; nil where there is none, as on Linux.
    static let process = ObjectiveCRuntime { dlsym(dlopen(nil, RTLD_LAZY), $0) }

    private let findClass: Find
    private let findSelector: Find
    private let send: Send
    private let sendBlock: SendBlock
    private let sendInteger: SendInteger

    /// - Parameter symbol: gives the address of a C function, or nil.
    init?(symbol: (String) -> UnsafeMutableRawPointer?) {
        guard let findClass = symbol("objc_getClass"), let findSelector = symbol("sel_registerName"),
            let send = symbol("objc_msgSend")
        else { return nil }
        self.findClass = unsafeBitCast(findClass, to: Find.self)
        self.findSelector = unsafeBitCast(findSelector, to: Find.self)
        self.send = unsafeBitCast(send, to: Send.self)
        sendBlock = unsafeBitCast(send, to: SendBlock.self)
        sendInteger = unsafeBitCast(send, to: SendInteger.self)
    }

    /// A class, or nil when the process has none of this name.
    func type(_ name: String) -> OpaquePointer? { findClass(name) }

    /// The object that a method without arguments returns.
    func object(_ receiver: OpaquePointer, _ method: String) -> OpaquePointer? {
        findSelector(method).flatMap { send(receiver, $0) }
    }

    /// The integer that a method with a block returns; nil when there is no such selector.
    func integer(_ receiver: OpaquePointer, _ method: String, _ block: @escaping Block) -> UInt? {
        findSelector(method).map { sendBlock(receiver, $0, block) }
    }

    /// Calls a method with an integer.
    func call(_ receiver: OpaquePointer, _ method: String, _ value: UInt) {
        if let selector = findSelector(method) { sendInteger(receiver, selector, value) }
    }
}

extension BackgroundTasks {
    /// The tasks of the running `UIApplication`; nil where there is no such app.
    ///
    /// Both methods may be called on any thread (Apple, `UIApplication`).
    static func ofApplication(_ runtime: ObjectiveCRuntime?) -> BackgroundTasks? {
        guard let runtime, let type = runtime.type("UIApplication"),
            let application = runtime.object(type, "sharedApplication")
        else { return nil }
        // The application lives as long as the process; its address is a number to be Sendable.
        let address = UInt(bitPattern: application)
        return BackgroundTasks(
            begin: { expired in
                guard let application = OpaquePointer(bitPattern: address) else { return 0 }
                return runtime.integer(application, "beginBackgroundTaskWithExpirationHandler:") { expired() } ?? 0
            },
            end: { task in
                guard let application = OpaquePointer(bitPattern: address) else { return }
                runtime.call(application, "endBackgroundTask:", task)
            })
    }
}
