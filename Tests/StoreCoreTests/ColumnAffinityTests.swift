import StoreCore
import Testing

@Suite struct ColumnAffinityTests {
    // The table of sqlite.org/datatype3.html, section 3.1.1.
    @Test(arguments: [
        ("INT", ColumnAffinity.integer), ("tinyint", .integer), ("UNSIGNED BIG INT", .integer), ("INT8", .integer),
        ("CHARACTER(20)", .text), ("nvarchar(100)", .text), ("CLOB", .text), ("BLOB", .blob), ("", .blob),
        ("REAL", .real), ("DOUBLE PRECISION", .real), ("float", .real), ("NUMERIC", .numeric),
        ("DECIMAL(10,5)", .numeric),
        ("BOOLEAN", .numeric), ("DATETIME", .numeric), ("FLOATING POINT", .integer), ("CHARINT", .integer),
        ("STRING", .numeric),
    ])
    func `declared type determines affinity`(type: String, affinity: ColumnAffinity) {
        #expect(ColumnAffinity(declaredType: type) == affinity)
        #expect(TableSchema.Column("a", type).affinity == affinity)
    }
}
