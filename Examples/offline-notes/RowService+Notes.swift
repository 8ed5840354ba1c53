import Patchbay
import VendorServices

/// The server of the example: two notes, and a page.
extension RowService {
    static func notes() -> RowService {
        RowService(
            table: "note",
            rows: [
                ["id": "1", "title": "Tea", "text": "Darjeeling, two tins"],
                ["id": "2", "title": "Fence", "text": "Paint it green"],
            ],
            pages: ["help": "Notes work in a tunnel."])
    }
}
