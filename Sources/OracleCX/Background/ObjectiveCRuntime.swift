import Foundation

/// Objective-C runtime functions, looked up at run time, that send messages to `UIApplication`.
struct ObjectiveCRuntime: Sendable {
    typealias Block = @convention(block) @Sendable () -> Void
    private typealias Find = @convention(c) @Sendable (UnsafePointer<CChar>) -> OpaquePointer?
    // `objc_msgSend` must be called with the C type of the method it calls; hence several types for one function.
    private typealias Send = @convention(c) @Sendable (OpaquePointer, OpaquePointer) -> OpaquePointer?
    private typealias SendBlock = @convention(c) @Sendable (OpaquePointer, OpaquePointer, Block?) -> UInt
    private typealias SendInteger = @convention(c) @Sendable (OpaquePointer, OpaquePointer, UInt) -> Void

    /// The runtime of this process; nil on platforms without one, such as Linux.
    static let process = ObjectiveCRuntime { dlsym(dlopen(nil, RTLD_LAZY), $0) }

    private let findClass: Find
    private let findSelector: Find
    private let send: Send
    private let sendBlock: SendBlock
    private let sendInteger: SendInteger

    /// - Parameter symbol: returns the address of a C function, or nil.
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

    /// Returns the class with this name, or nil.
    func type(_ name: String) -> OpaquePointer? { findClass(name) }

    /// Calls a method without arguments that returns an object.
    func object(_ receiver: OpaquePointer, _ method: String) -> OpaquePointer? {
        findSelector(method).flatMap { send(receiver, $0) }
    }

    /// Calls a method with a block that returns an integer; nil if the selector cannot be registered.
    func integer(_ receiver: OpaquePointer, _ method: String, _ block: @escaping Block) -> UInt? {
        findSelector(method).map { sendBlock(receiver, $0, block) }
    }

    /// Calls a method with an integer argument.
    func call(_ receiver: OpaquePointer, _ method: String, _ value: UInt) {
        if let selector = findSelector(method) { sendInteger(receiver, selector, value) }
    }
}

extension BackgroundTasks {
    /// The background task functions of `UIApplication.shared`; nil without UIKit or a running application.
    ///
    /// Both methods may be called on any thread (Apple, `UIApplication`).
    static func sharedApplication(in runtime: ObjectiveCRuntime?) -> BackgroundTasks? {
        guard let runtime, let type = runtime.type("UIApplication"),
            let application = runtime.object(type, "sharedApplication")
        else { return nil }
        // The application lives as long as the process, so its address is captured, as an integer that is Sendable.
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
