#if canImport(SwiftUI)
    import FireLiteR4Names
    import FireLiteUI
    import SwiftUI

    /// The form of a patient: fields with their issues, undo, and a conflict side by side.
    public struct PatientFormView: View {
        @State private var editor: PatientEditor

        public init(_ editor: PatientEditor) { _editor = State(initialValue: editor) }

        public var body: some View {
            Form {
                TextField("Family name", text: editor.form.text(\.familyName))
                issues(at: "name[0].family")
                TextField("City", text: editor.form.text(\.city))
                Toggle("Active", isOn: editor.form.binding(\.active, or: false))
                ForEach(editor.form.clashes, id: \.path) { clash in
                    LabeledContent(clash.path) { Text("mine: \(clash.local ?? "–")\ntheirs: \(clash.remote ?? "–")") }
                }
                if !editor.form.clashes.isEmpty {
                    Button("Keep mine") { Task { await editor.save(preferring: .local) } }
                    Button("Keep theirs") { Task { await editor.save(preferring: .remote) } }
                }
                if editor.syncError != nil { Label("Not sent yet", systemImage: "icloud.slash") }
            }
            .toolbar {
                Button("Undo") { editor.form.undo() }.disabled(!editor.form.canUndo)
                Button("Save") { Task { await editor.save() } }.disabled(!editor.form.canSave)
            }
        }

        private func issues(at path: String) -> some View {
            ForEach(editor.form.issues(at: path), id: \.message) { Text($0.message).foregroundStyle(.red) }
        }
    }
#endif
