import Delegation
import Testing

@Suite("SelectorError") struct SelectorErrorTests {
    private final class Screen {}

    @Test("describes the selector, the problem and the registered selectors") func description() throws {
        let table = try SelectorTable<Screen>().registering("shown") { _ in }
        let error = try #require(#expect(throws: SelectorError.self) { try table.perform("hidden", on: Screen()) })
        #expect("\(error)" == "\"hidden\": Unrecognized selector for Screen; registered: shown. [notRegistered]")
        let types = #expect(throws: SelectorError.self) { try table.perform("shown", on: Screen(), with: "s3cret") }
        // Arguments may be secrets; their types are not.
        #expect(
            types.map { "\($0)" } == "\"shown\": Wrong arguments for the method: (String). [wrongArguments]")
    }
}
