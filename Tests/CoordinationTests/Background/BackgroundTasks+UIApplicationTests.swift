import Synchronization
import SystemLibraries
import Testing

@testable import Coordination

/// Fake Objective-C runtime functions with one application.
///
/// Static, because C functions have no context.
private enum FakeRuntime {
    /// Wraps the block: Swift on Linux has no type metadata for blocks, which generic code needs.
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
    /// Only two of the three methods have the third argument.
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
            Issue.record("Unexpected message")
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

@Suite(.serialized) struct BackgroundTasksUIApplicationTests {
    @Test
    func `beginning and ending tasks calls UIApplication's methods with handler and identifier`() throws {
        FakeRuntime.state.withLock { $0 = FakeRuntime.State() }
        let system = try #require(BackgroundTasks.sharedApplication(in: FakeRuntime.runtime))
        let expired = Mutex(0)
        let tasks = (0..<2).map { _ in BackgroundTask(system) }
        for task in tasks { task.begin { expired.withLock { $0 += 1 } } }
        let handler = try #require(FakeRuntime.state.withLock { $0.handlers[2] })
        handler.block?()
        #expect(expired.withLock(\.self) == 1 && FakeRuntime.state.withLock(\.ended) == [2])
        for task in tasks { task.end() }
        #expect(FakeRuntime.state.withLock(\.ended) == [2, 1])
        #expect(
            FakeRuntime.state.withLock(\.selectors) == [
                "sharedApplication", "beginBackgroundTaskWithExpirationHandler:", "endBackgroundTask:",
            ])
    }

    @Test func `without an application or a runtime there are no tasks`() {
        FakeRuntime.state.withLock { state in
            state = FakeRuntime.State()
            state.hasApplication = false
        }
        #expect(BackgroundTasks.sharedApplication(in: FakeRuntime.runtime) == nil)
        #expect(BackgroundTasks.sharedApplication(in: nil) == nil)
        #expect(ObjectiveCRuntime { _ in nil } == nil)
        // The test process has no UIApplication on any platform.
        #expect(BackgroundTasks.sharedApplication(in: .process) == nil)
    }
}
