import Foundation

extension Substring {
    /// A name or value of a query for comparisons: percent-decoded, but for `%2B` and `%25`.
    ///
    /// Servers that read a query as a form take `+` for a space, so that `+` and `%2B` are different values.
    package var comparableInQuery: String {
        let marked = replacing("%25", with: "%2525").replacing("%2B", with: "%252B").replacing("%2b", with: "%252B")
        return marked.removingPercentEncoding ?? String(self)
    }
}
