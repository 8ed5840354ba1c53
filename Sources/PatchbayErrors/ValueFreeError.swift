/// An error whose ``PatchbayError/message`` never quotes a body or another value, so that other errors may repeat it.
///
/// For types of this package only: the message of an app's type can have anything.
package protocol ValueFreeError: PatchbayError {}
