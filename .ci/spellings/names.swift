// How an app names the types of modules that contain a type of their own name, beside types of its own with the same
// names; see Documentation/Names.md.
import LocalStore
import SQLiteStore
import Transport

enum TransportError: Error { case mine }
struct StoreError: Error {}
struct StoreRow {}
enum MemoryStore {}
enum HTTPRequest {}

func theirs(_ error: Transport::TransportError) -> Transport::TransportError.Code { error.code }
func mine(_ error: any Error) -> Bool { error is TransportError && !(error is Transport::TransportError) }
func engines(_ transport: some Transport::Transport, _ session: Transport::URLSessionTransport) {}

// Through each module that re-exports StoreCore.
func codes(_ error: LocalStore::StoreError) -> [StoreCore::StoreError.Code] {
    let same: SQLiteStore::StoreError = error
    return [error.code, same.code]
}
func stores(_ store: any LocalStore::LocalStore, _ other: some StoreCore::LocalStore) throws -> Int {
    var count = 0
    try store.query("SELECT 1", []) { (row: borrowing LocalStore::StoreRow) in
        count = row.columnCount
        return true
    }
    return count
}
func memory() -> LocalStore::MemoryStore { LocalStore::MemoryStore() }
func files(_ path: String) throws -> SQLiteStore::SQLiteStore { try SQLiteStore::SQLiteStore(.file(path)) }
