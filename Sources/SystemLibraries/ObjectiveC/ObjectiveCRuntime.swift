import Foundation

/// Objective-C runtime functions, looked up at run time, that send messages to classes and objects.
///
/// `objc_msgSend` must be called with the C type of the method that it calls; hence several types for one function.
package struct ObjectiveCRuntime: Sendable {
    package typealias Block = @convention(block) @Sendable () -> Void
    private typealias Find = @convention(c) @Sendable (UnsafePointer<CChar>) -> OpaquePointer?
    private typealias Send = @convention(c) @Sendable (OpaquePointer, OpaquePointer) -> OpaquePointer?
    private typealias SendBlock = @convention(c) @Sendable (OpaquePointer, OpaquePointer, Block?) -> UInt
    private typealias SendInteger = @convention(c) @Sendable (OpaquePointer, OpaquePointer, UInt) -> Void

    /// The runtime of this process; nil on platforms without one, such as Linux.
    package static let process = ObjectiveCRuntime(symbol: processSymbol)

    /// Returns the address of a C function of this process, or nil.
    static func processSymbol(_ name: String) -> UnsafeMutableRawPointer? { dlsym(dlopen(nil, RTLD_LAZY), name) }

    private let findClass: Find
    private let findSelector: Find
    private let send: Send

    /// - Parameter symbol: returns the address of a C function, or nil.
    package init?(symbol: (String) -> UnsafeMutableRawPointer?) {
        guard let findClass = symbol("objc_getClass"), let findSelector = symbol("sel_registerName"),
            let send = symbol("objc_msgSend")
        else { return nil }
        self.findClass = unsafeBitCast(findClass, to: Find.self)
        self.findSelector = unsafeBitCast(findSelector, to: Find.self)
        self.send = unsafeBitCast(send, to: Send.self)
    }

    /// The address of `objc_msgSend`.
    var messageFunction: UnsafeRawPointer { unsafeBitCast(send, to: UnsafeRawPointer.self) }

    /// Returns the class with this name, or nil.
    package func type(_ name: String) -> OpaquePointer? { findClass(name) }

    /// Returns the runtime's identity of a selector; nil if it cannot be registered.
    func selector(_ name: String) -> OpaquePointer? { findSelector(name) }

    /// Calls a method without arguments that returns an object.
    package func object(_ receiver: OpaquePointer, _ method: String) -> OpaquePointer? {
        findSelector(method).flatMap { send(receiver, $0) }
    }

    /// Calls a method with a block that returns an integer; nil if the selector cannot be registered.
    package func integer(_ receiver: OpaquePointer, _ method: String, _ block: @escaping Block) -> UInt? {
        findSelector(method).map { unsafeBitCast(send, to: SendBlock.self)(receiver, $0, block) }
    }

    /// Calls a method with an integer argument.
    package func call(_ receiver: OpaquePointer, _ method: String, _ value: UInt) {
        if let selector = findSelector(method) { unsafeBitCast(send, to: SendInteger.self)(receiver, selector, value) }
    }
}
