import Delegation
import Testing

@Suite("SelectorError") struct SelectorErrorTests {
    private final class Screen {}

    @Test("names the method, what is wrong and what there is") func description() throws {
        let table = try SelectorTable<Screen>().registering("shown") { _ in }
        let error = try #require(#expect(throws: SelectorError.self) { try table.perform("hidden", on: Screen()) })
        #expect("\(error)" == "\"hidden\": No such method registered for Screen; registered: shown. [notRegistered]")
        let types = #expect(throws: SelectorError.self) { try table.perform("shown", on: Screen(), with: "s3cret") }
        // An argument may be a secret; its type is not.
        #expect(
            types.map { "\($0)" } == "\"shown\": The method does not accept the arguments (String). [wrongArguments]")
    }
}
