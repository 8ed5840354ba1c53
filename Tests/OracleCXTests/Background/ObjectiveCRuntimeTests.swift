import Foundation
import Synchronization
import Testing

@testable import OracleCX

/// C functions in the place of the Objective-C runtime's, which know one application. They are global because functions
/// of C have no context.
private enum FakeRuntime {
    /// In a struct, because Swift on Linux has no metadata for a block, which generic code needs.
    struct Handler {
        let block: ObjectiveCRuntime.Block?
    }
    struct State {
        var selectors: [String] = []
        var hasApplication = true
        var handlers: [UInt: Handler] = [:]
        var ended: [UInt] = []
    }
    static let state = Mutex(State())
    static let type: UInt = 16
    static let application: UInt = 32

    static let getClass: @convention(c) (UnsafePointer<CChar>) -> UInt = {
        String(cString: $0) == "UIApplication" ? type : 0
    }
    static let selector: @convention(c) (UnsafePointer<CChar>) -> UInt = { text in
        let name = String(cString: text)
        return state.withLock { state in
            if !state.selectors.contains(name) { state.selectors.append(name) }
            return UInt(state.selectors.firstIndex(of: name) ?? 0) + 1
        }
    }
    /// The third argument is there for two of the three methods only.
    static let send: @convention(c) (UInt, UInt, UnsafeRawPointer?) -> UInt = { receiver, selector, argument in
        switch (receiver, state.withLock { $0.selectors[Int(selector) - 1] }) {
        case (type, "sharedApplication"):
            return state.withLock(\.hasApplication) ? application : 0
        case (application, "beginBackgroundTaskWithExpirationHandler:"):
            let block = unsafeBitCast(argument, to: ObjectiveCRuntime.Block?.self)
            return state.withLock { state in
                let task = UInt(state.handlers.count + 1)
                state.handlers[task] = Handler(block: block)
                return task
            }
        case (application, "endBackgroundTask:"):
            state.withLock { $0.ended.append(UInt(bitPattern: argument)) }
            return 0
        default:
            Issue.record("an unknown message")
            return 0
        }
    }

    static let runtime = ObjectiveCRuntime { name in
        switch name {
        case "objc_getClass": unsafeBitCast(getClass, to: UnsafeMutableRawPointer.self)
        case "sel_registerName": unsafeBitCast(selector, to: UnsafeMutableRawPointer.self)
        case "objc_msgSend": unsafeBitCast(send, to: UnsafeMutableRawPointer.self)
        default: nil
        }
    }
}

@Suite("Oracle 7: UIApplication by name", .serialized) struct ObjectiveCRuntimeTests {
    @Test("its methods are called with a handler that can be called later, and with the task's number")
    func application() throws {
        FakeRuntime.state.withLock { $0 = FakeRuntime.State() }
        let lifecycle = ORANotifiedLifecycle(center: NotificationCenter()) {
            BackgroundTasks.ofApplication(FakeRuntime.runtime)
        }
        let expired = Mutex(0)
        let ends = (0..<2).map { _ in lifecycle.beginBackgroundTime { expired.withLock { $0 += 1 } } }
        let handler = try #require(FakeRuntime.state.withLock { $0.handlers[2] })
        handler.block?()
        #expect(expired.withLock(\.self) == 1 && FakeRuntime.state.withLock(\.ended) == [2])
        for end in ends { end() }
        #expect(FakeRuntime.state.withLock(\.ended) == [2, 1])
        #expect(
            FakeRuntime.state.withLock(\.selectors) == [
                "sharedApplication", "beginBackgroundTaskWithExpirationHandler:", "endBackgroundTask:",
            ])
    }

    @Test("where there is no application or no runtime there are no tasks") func missing() {
        FakeRuntime.state.withLock { state in
            state = FakeRuntime.State()
            state.hasApplication = false
        }
        #expect(BackgroundTasks.ofApplication(FakeRuntime.runtime) == nil)
        #expect(BackgroundTasks.ofApplication(nil) == nil)
        #expect(ObjectiveCRuntime { _ in nil } == nil)
        // This process has no UIApplication, whatever the platform.
        #expect(BackgroundTasks.ofApplication(.process) == nil)
    }
}
