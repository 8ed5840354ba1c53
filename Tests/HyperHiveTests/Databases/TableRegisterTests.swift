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

    @discardableResult
    private func drop(_ names: TableNames) throws -> [String] {
        try register.drop(names, among: Set(register.entries(of: names).map(\.name)))
    }

    @Test func `dropping leaves the tables that a load has created since they were listed`() throws {
        let names = try create("R", "", ["t", "u"])
        #expect(try register.drop(names, among: ["R_u"]) == ["R_u"])
        #expect(try register.drop(names, among: []) == [])
        #expect(try register.tableNames(names) == ["R_t"])
    }

    @Test func `HyperHive 14: dropping removes only the tables of these parameters`() throws {
        let plain = try create("R", "", ["t", "u"])
        let other = try create("R", "abc", ["t"])
        #expect(try drop(plain) == ["R_t", "R_u"])
        #expect(try register.tableNames(plain) == [])
        #expect(try register.tableNames(other).count == 1)
        #expect(try store.tableNames() == [other.local("t").text])
        #expect(try drop(plain) == [])
    }

    @Test(arguments: [("A_B", "C", "A", "B_C"), ("Fruits", "t", "FRUITS", "T"), ("R_x", "t", "r", "X_T")])
    func `resources whose tables would have the same name are refused, and share no rows`(
        owner: String, output: String, resource: String, other: String
    ) throws {
        let names = try create(owner, "", [output])
        let error = #expect(throws: StoreError.self) { try create(resource, "", ["more", other]) }
        #expect(error?.code == .tableExists)
        for text in [owner, resource, other] { #expect(error?.message.contains(text) == true) }
        #expect(try register.tableNames(TableNames(resource: resource, parameters: ""), output: other) == [])
        #expect(try drop(TableNames(resource: resource, parameters: "")) == [])
        // Nothing of the other one was created.
        #expect(try store.tableNames() == [names.local(output).text])
        // The same resource may be listed again, and another one once its tables are gone.
        _ = try create(owner, "", [output])
        try drop(names)
        _ = try create(resource, "", ["more", other])
        try store.execute("DROP TABLE \(names.local(output).quoted)", [])
        _ = try create(owner, "", [output])
        #expect(try register.tableNames(names) == [names.local(output).text])
        #expect(try register.tableNames(TableNames(resource: resource, parameters: ""), output: other) == [])
    }

    @Test func `a table with a digest, and one whose output has it in its name, are not the same`() throws {
        let digest = "900150983cd24fb0d6963f7d28e17f72"
        _ = try create("R", "abc", ["t"])
        #expect(throws: StoreError.self) { try create("R_\(digest)", "", ["t"]) }
        #expect(throws: StoreError.self) { try create("R", "", ["\(digest)_t"]) }
    }

    @Test func `tables that the app dropped are created again`() throws {
        let names = try create("R", "", ["t"])
        try store.execute("DROP TABLE R_t", [])
        #expect(try register.tableNames(names) == [])
        _ = try create("R", "", ["t"])
        #expect(try register.tableNames(names) == ["R_t"])
    }
}
