import Delegation
import Synchronization
import Testing

@Suite struct SharedInstanceTests {
    private let shared = instance { "default" }

    private static func instance<Value>(default makeDefault: @escaping @Sendable () -> Value) -> SharedInstance<Value> {
        SharedInstance("The value", configuredBy: "configure", before: "its first use", default: makeDefault)
    }

    @Test func `without a configuration the default is used`() {
        #expect(shared.value == "default" && shared.value == "default")
    }

    @Test func `a configuration before the first use is used`() throws {
        try shared.configure { "own" }
        #expect(shared.value == "own" && shared.value == "own")
    }

    @Test func `a second configuration throws and changes nothing`() throws {
        try shared.configure { "own" }
        let error = #expect(throws: FacadeConfigurationError.self) {
            try shared.configure {
                Issue.record("It was made.")
                return "other"
            }
        }
        #expect(
            error?.code == .alreadyConfigured
                && error?.message == "The value is already configured; call configure once.")
        #expect(shared.value == "own")
    }

    @Test(arguments: [false, true])
    func `a configuration after the first use throws`(isConfigured: Bool) throws {
        if isConfigured { try shared.configure { "own" } }
        let value = shared.value
        let error = #expect(throws: FacadeConfigurationError.self) { try shared.configure { "other" } }
        #expect(
            error?.code == .alreadyInUse
                && error?.message == "The value is already in use; call configure before its first use.")
        #expect(shared.value == value)
    }

    @Test func `a use during configuration wins, and the configuration throws`() throws {
        let error = #expect(throws: FacadeConfigurationError.self) {
            try shared.configure {
                _ = shared.value
                return "own"
            }
        }
        #expect(error?.code == .alreadyInUse && shared.value == "default")
    }

    @Test func `concurrent first uses get one value`() async {
        let count = Mutex(0)
        let shared = Self.instance {
            count.withLock { count in
                count += 1
                return count
            }
        }
        let values = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<64 { group.addTask { shared.value } }
            return await group.reduce(into: Set<Int>()) { $0.insert($1) }
        }
        #expect(values.count == 1)
    }
}
