import Delegation
import Testing

@Suite struct SelectorErrorTests {
    private final class Screen {}

    @Test func `describes the selector, the problem and the registered selectors`() throws {
        let table = try SelectorTable<Screen>().registering("shown") { _ in }
        let error = try #require(#expect(throws: SelectorError.self) { try table.perform("hidden", on: Screen()) })
        #expect("\(error)" == "\"hidden\": Unrecognized selector for Screen; registered: shown. [notRegistered]")
        let types = #expect(throws: SelectorError.self) { try table.perform("shown", on: Screen(), with: "s3cret") }
        // Arguments may be secrets; their types are not.
        #expect(
            types.map { "\($0)" } == "\"shown\": Wrong arguments for the method: (String). [wrongArguments]")
    }
}
