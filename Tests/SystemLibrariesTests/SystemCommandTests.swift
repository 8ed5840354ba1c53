#if canImport(Glibc) || canImport(Musl)
    import Foundation
    import SystemLibraries
    import TestSupport
    import Testing

    @Suite(.needsSlot) struct SystemCommandTests {
        @Test func `a command returns its exit status`() throws {
            #expect(try SystemCommand.run("true", []) == 0)
            #expect(try SystemCommand.run("sh", ["-c", "exit 7"]) == 7)
            #expect(try SystemCommand.run("sh", ["-c", "kill -KILL $$"]) == 128 + 9)
        }

        @Test func `an argument is passed as it is, and a missing command is ENOENT`() throws {
            let text = "https://a.example/?a=1&b=$HOME;exit 3"
            #expect(try SystemCommand.run("test", [text, "=", text]) == 0)
            let error = #expect(throws: POSIXError.self) { try SystemCommand.run("no-such-command-here", []) }
            #expect(error?.code == .ENOENT)
        }
    }
#endif
