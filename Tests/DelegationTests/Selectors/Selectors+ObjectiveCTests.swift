import SystemLibraries
import TestSupport
import Testing

@testable import Delegation

@Suite struct SelectorsObjectiveCTests {
    private final class Plain {}
    private let messaging = ObjectiveCMessaging(symbol: FakeObjectiveC.symbol)

    private func perform(
        _ selector: String, on target: AnyObject, _ arguments: Any...
    ) throws(SelectorError) -> Bool {
        try Selectors.perform(selector, on: target, with: arguments, messaging: messaging)
    }

    @Test func `calls Objective-C methods of any object`() throws {
        let target = Plain()
        #expect(try perform("setProgress:", on: target, Float(0.5)))
        let messages = FakeObjectiveC.messages(to: target)
        #expect(messages.map(\.selector) == ["setProgress:"] && messages.first?.float == 0.5)
        #expect(try !perform("nothing", on: target))
        let error = #expect(throws: SelectorError.self) { try perform("done:", on: target) }
        #expect(error?.code == .wrongArguments)
        #expect(Selectors.responds(target, to: "done:", messaging: messaging))
        #expect(FakeObjectiveC.messages(to: target).isEmpty)
    }

    @Test func `the table precedes the Objective-C methods`() throws {
        let screen = Screen()
        #expect(try perform("reload", on: screen))
        #expect(screen.calls == ["reload"] && FakeObjectiveC.messages(to: screen).isEmpty)
        #expect(try perform("done:", on: screen, screen))
        #expect(FakeObjectiveC.messages(to: screen).map(\.selector) == ["done:"])
        #expect(!Selectors.responds(screen, to: "nothing", messaging: messaging))
    }
}
