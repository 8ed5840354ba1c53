import DeltaSync
import LocalStore
import Testing

@testable import HyperHive

@Suite struct TableRegisterTests {
    private let store = MemoryStore()
    private var register: TableRegister { TableRegister(store: store) }

    private func create(_ resource: String, _ parameters: String, _ tables: [String]) throws -> TableNames {
        let outputs = tables.map { HyperHiveResource.Table($0, columns: [.init("a", .text)]) }
        let target = try ResourceTarget(
            HyperHiveResource(resource, outputs: outputs), parameters: parameters,
            binding: DeltaBinding(server: "s", resource: ""))
        try register.createTables(of: target)
        return target.names
    }

    @Test func `HyperHive 14: tables are found by resource and parameters, those with a digest first`() throws {
        let plain = try create("R", "", ["t", "u"])
        // As the prefix of another name, and as LIKE's wildcard, a resource's name must not find other tables.
        _ = try create("R_t", "", ["t"])
        _ = try create("RXt", "", ["t"])
        let other = try create("R", "abc", ["t"])
        #expect(try register.tableNames(plain) == ["R_t", "R_u"])
        #expect(try register.tableNames(plain, output: "u") == ["R_u"])
        #expect(try register.tableNames(plain, output: "v") == [])
        #expect(try register.tableNames(other) == ["R_900150983cd24fb0d6963f7d28e17f72_t"])
        _ = try create("R", "null", ["t"])
        let hashed = "R_37a6259cc0c1dae299a7866489dff0bd_t"
        #expect(try register.tableNames(plain) == [hashed, "R_t", "R_u"])
        #expect(try register.tableNames(plain, output: "t") == [hashed, "R_t"])
        #expect(try register.tableNames(TableNames(resource: "R", parameters: "{}")) == [])
    }

    @Test func `HyperHive 14: dropping removes only the tables of these parameters`() throws {
        let plain = try create("R", "", ["t", "u"])
        let other = try create("R", "abc", ["t"])
        #expect(try register.drop(plain) == ["R_t", "R_u"])
        #expect(try register.tableNames(plain) == [])
        #expect(try register.tableNames(other).count == 1)
        #expect(try store.tableNames() == [other.local("t").text])
        #expect(try register.drop(plain) == [])
    }

    @Test func `tables that the app dropped are created again`() throws {
        let names = try create("R", "", ["t"])
        try store.execute("DROP TABLE R_t", [])
        #expect(try register.tableNames(names) == [])
        _ = try create("R", "", ["t"])
        #expect(try register.tableNames(names) == ["R_t"])
    }
}
