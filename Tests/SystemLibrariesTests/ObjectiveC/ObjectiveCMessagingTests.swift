import SystemLibraries
import TestSupport
import Testing

@Suite struct ObjectiveCMessagingTests {
    private final class Receiver {}
    private let receiver = Receiver()
    private let first = Receiver()
    private let second = Receiver()
    private let messaging = ObjectiveCMessaging(symbol: FakeObjectiveC.symbol)

    private func send(_ selector: String, _ arguments: Any...) throws -> ObjectiveCMessaging.Outcome {
        try #require(messaging).send(selector, to: receiver, arguments)
    }

    private func received() throws -> FakeObjectiveC.Message {
        let messages = FakeObjectiveC.messages(to: receiver)
        #expect(messages.count == 1)
        return try #require(messages.first)
    }

    @Test func `passes objects`() throws {
        #expect(try send("reload") == .called)
        #expect(try received().selector == "reload")
        for selector in ["done:", "constant:", "count:"] {
            #expect(try send(selector, first) == .called)
            let message = try received()
            #expect(message.selector == selector && message.first == FakeObjectiveC.address(of: first))
        }
        #expect(try send("request:didReceiveData:", first, second) == .called)
        let message = try received()
        #expect(message.first == FakeObjectiveC.address(of: first))
        #expect(message.second == FakeObjectiveC.address(of: second))
    }

    @Test func `a nil is a null pointer, and an optional object that object`() throws {
        let (nothing, something): (Receiver?, Receiver?) = (nil, first)
        #expect(try send("done:", nothing as Any) == .called)
        #expect(try received().first == 0)
        #expect(try send("done:", something as Any) == .called)
        #expect(try received().first == FakeObjectiveC.address(of: first))
        #expect(try send("request:didReceiveData:", nothing as Any, second) == .called)
        let objects = try received()
        #expect(objects.first == 0 && objects.second == FakeObjectiveC.address(of: second))
        #expect(try send("request:didReceiveBytes:", nothing as Any, Int64(-7)) == .called)
        let bytes = try received()
        #expect(bytes.first == 0 && bytes.second == UInt(bitPattern: -7))
        #expect(try send("setTag:", Int?.none as Any) == .wrongArguments)
    }

    @Test func `passes numbers as the method declares them`() throws {
        #expect(try send("setProgress:", Float(0.25)) == .called)
        #expect(try received().float == 0.25)
        #expect(try send("setValue:", 0.75) == .called)
        #expect(try received().number == 0.75)
        for (selector, argument, bits) in [
            ("setHidden:", true, 1), ("setFlag:", false, 0), ("setTag:", -5, UInt(bitPattern: -5)),
            ("setSize:", UInt64.max, .max), ("setCount:", UInt32.max, 0xFFFF_FFFF),
        ] as [(String, Any, UInt)] {
            #expect(try send(selector, argument) == .called)
            let message = try received()
            #expect(message.selector == selector && message.first == bits)
        }
        #expect(try send("request:didReceiveBytes:", first, Int64(-7)) == .called)
        let message = try received()
        #expect(message.first == FakeObjectiveC.address(of: first) && message.second == UInt(bitPattern: -7))
    }

    @Test func `a missing method and wrong arguments are told apart, and nothing is called`() throws {
        #expect(try send("nothing:", first) == .missingMethod)
        for outcome in [
            try send("reload", first), try send("done:"), try send("done:", first, second),
            try send("setProgress:", 1.0), try send("setProgress:", "1"), try send("setValue:", Float(1)),
            try send("setHidden:", 1), try send("setTag:", Int64.max), try send("setTag:", "1"),
            try send("setSize:", -1), try send("setCount:", UInt64.max),
            try send("request:didReceiveBytes:", first, second), try send("frame"), try send("run:", first),
            try send("add:to:", 1, 2), try send("a:b:c:", first, first, first),
        ] { #expect(outcome == .wrongArguments) }
        #expect(FakeObjectiveC.messages(to: receiver).isEmpty)
        #expect(try #require(messaging).responds(receiver, to: "reload"))
        #expect(try !#require(messaging).responds(receiver, to: "nothing:"))
    }

    @Test func `there is none without the functions of a runtime`() {
        for missing in [
            "objc_getClass", "sel_registerName", "objc_msgSend", "object_getClass", "class_getInstanceMethod",
            "method_getNumberOfArguments", "method_getArgumentType", "method_getReturnType",
        ] { #expect(ObjectiveCMessaging { $0 == missing ? nil : FakeObjectiveC.symbol($0) } == nil) }
        #if os(Linux)
            #expect(ObjectiveCMessaging.process == nil)
        #endif
    }
}
