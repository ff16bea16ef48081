//! # Structures and unions
//! Where members are, as the ABI of System V has it for 32 and 64 bits; bit-fields included, although nobody may use them here.

use rustc_hash::FxHashMap;
use selvedge_program::Span;

use super::Checker;
use super::arithmetic::is_integer;
use super::scope::Tag;
use super::words::{argument, has_attribute};
use crate::Diagnostic;
use crate::c::tree::{self, Alignment, Member, Record};
use crate::c::types::{Field, RecordId, RecordType, Type};

/// The requests of a member about its alignment.
#[derive(Clone, Copy)]
struct Wish {
    /// The alignment is at most this.
    most: u64,
    /// The alignment is at least this.
    align: Option<u64>,
}

/// The layout of the members so far.
struct Layout {
    /// Whether members share one place.
    is_union: bool,
    /// Members are aligned to no more than this.
    most: u64,
    /// The first free bit.
    bits: u64,
    /// The largest number of bytes of a member of a union, in bits.
    widest: u64,
    /// The alignment of the record.
    align: u64,
}

/// The alignment in bytes that `aligned` without a number asks for.
const MOST_ALIGNED: u64 = 16;

/// The largest record, in bytes: offsets in bits are still numbers.
const LARGEST: u64 = 1 << 58;

impl Checker<'_> {
    /// The record that is meant, which is defined here or elsewhere, or not at all.
    pub fn record(&mut self, record: &Record) -> Option<Type> {
        let id = match &record.tag {
            None => self.new_record(record, ""),
            Some(tag) => self.tagged(record, tag)?,
        };
        if let Some(members) = &record.members {
            if self.types.record(id).size.is_some() {
                let name = &self.types.record(id).name;
                let message = format!("`{name}` is defined twice");
                self.advise(record.span, message, "rename one of them, or remove it");
                return None;
            }
            self.define_record(id, record, members);
        }
        Some(Type::Record(id))
    }

    fn tagged(&mut self, record: &Record, tag: &tree::Name) -> Option<RecordId> {
        let found = if record.members.is_some() {
            self.innermost().tags.get(&tag.text).map(|(tag, _)| tag.clone())
        } else {
            self.lookup_tag(&tag.text).cloned()
        };
        match found {
            Some(Tag::Record(id)) if self.types.record(id).is_union == record.is_union => Some(id),
            Some(_) => {
                let word = if record.is_union { "union" } else { "structure" };
                self.error(tag.span, format!("`{}` is no {word}", tag.text));
                None
            }
            None => {
                let id = self.new_record(record, &tag.text);
                self.tag(tag, Tag::Record(id));
                Some(id)
            }
        }
    }

    /// Declares a tag anew in this block: `struct s;`.
    pub fn forward(&mut self, record: &Record) {
        let Some(tag) = &record.tag else { return };
        if !self.innermost().tags.contains_key(&tag.text) {
            let id = self.new_record(record, &tag.text);
            self.tag(tag, Tag::Record(id));
        }
    }

    fn new_record(&mut self, record: &Record, name: &str) -> RecordId {
        self.types.records.push(RecordType {
            name: name.to_owned(),
            is_union: record.is_union,
            align: 1,
            ..RecordType::default()
        });
        RecordId(super::number(self.types.records.len() - 1))
    }

    fn define_record(&mut self, id: RecordId, record: &Record, members: &[Member]) {
        let mut layout = Layout {
            is_union: record.is_union,
            most: if has_attribute(&record.attributes, "packed") {
                1
            } else {
                pack(&record.attributes).filter(|bytes| bytes.is_power_of_two()).unwrap_or(u64::MAX)
            },
            bits: 0,
            widest: 0,
            align: 1,
        };
        let mut fields: Vec<Field> = Vec::new();
        let mut names: FxHashMap<String, Span> = FxHashMap::default();
        for member in members {
            self.members(member, &mut layout, &mut fields, &mut names);
        }
        if let Some(align) = self.aligned(&record.alignments) {
            layout.align = layout.align.max(align);
        }
        let bits = if record.is_union { layout.widest } else { layout.bits };
        let bytes = bits.div_ceil(8).next_multiple_of(layout.align);
        if bytes > LARGEST {
            self.error(record.span, "this record is too large");
        }
        let into = &mut self.types.records[id.0 as usize];
        into.fields = fields;
        into.align = layout.align;
        into.size = Some(bytes);
    }

    fn members(
        &mut self,
        member: &Member,
        layout: &mut Layout,
        fields: &mut Vec<Field>,
        names: &mut FxHashMap<String, Span>,
    ) {
        let Some(base) = self.specified(&member.specifiers) else { return };
        let specifiers = &member.specifiers;
        let is_packed = has_attribute(&specifiers.attributes, "packed");
        let align = self.aligned(&specifiers.alignments);
        if member.declarators.is_empty() {
            // Members of a record without a name are members of this one.
            if let tree::TypeWords::Record(Record { tag: None, .. }) = &member.specifiers.ty {
                self.inner_names(&base, member.span, names);
                let wish = Wish { most: if is_packed { 1 } else { layout.most }, align };
                self.place(String::new(), base, wish, member.span, layout, fields);
            }
            return;
        }
        for (declarator, width) in &member.declarators {
            let Some(ty) = self.declared_type(base.clone(), declarator) else { continue };
            let name = declarator.name.as_ref().map_or("", |name| &name.text).to_owned();
            let span = declarator.name.as_ref().map_or(declarator.span, |name| name.span);
            self.new_name(&name, span, names);
            let is_packed = is_packed || has_attribute(&declarator.attributes, "packed");
            let own = self.aligned(&declarator.alignments);
            let most = if is_packed { 1 } else { layout.most };
            let wish = Wish { most, align: align.max(own) };
            match width {
                Some(width) => self.bit_field(name, ty, width, wish, layout, fields),
                None => self.place(name, ty, wish, span, layout, fields),
            }
        }
    }

    fn new_name(&mut self, name: &str, span: Span, names: &mut FxHashMap<String, Span>) {
        if name.is_empty() {
            return;
        }
        if let Some(first) = names.insert(name.to_owned(), span) {
            self.problems.push(
                Diagnostic::error(span, format!("there are two members `{name}`"))
                    .related(first, "the first one")
                    .hint("rename one of them"),
            );
        }
    }

    fn inner_names(&mut self, ty: &Type, span: Span, names: &mut FxHashMap<String, Span>) {
        let Type::Record(id) = ty else { return };
        for field in self.types.record(*id).fields.clone() {
            if field.name.is_empty() {
                self.inner_names(&field.ty, span, names);
            } else {
                self.new_name(&field.name, span, names);
            }
        }
    }

    /// Places a member that is no bit-field.
    fn place(
        &mut self,
        name: String,
        ty: Type,
        wish: Wish,
        span: Span,
        layout: &mut Layout,
        fields: &mut Vec<Field>,
    ) {
        let size = match (&ty, self.types.size(&ty)) {
            (Type::Function(_), _) => {
                self.advise(span, "a function cannot be a member", "did you mean a pointer to it?");
                return;
            }
            (Type::Void, _) => {
                self.error(span, "a member of type `void` has no value");
                return;
            }
            // A flexible array takes no place.
            (Type::Array(element, None), _) if self.types.size(element).is_some() => 0,
            (_, Some(size)) if size <= LARGEST => size,
            (_, Some(_)) => {
                self.error(span, "this member is too large");
                return;
            }
            (_, None) => {
                let spelt = self.spell(&ty);
                self.advise(
                    span,
                    format!("nothing is known of `{spelt}`, so it cannot be a member"),
                    "define it first, or make this a pointer",
                );
                return;
            }
        };
        let natural = self.types.align(&ty).min(wish.most);
        let align = wish.align.map_or(natural, |align| align.max(natural));
        layout.align = layout.align.max(align);
        let offset = if layout.is_union {
            layout.widest = layout.widest.max(size * 8);
            0
        } else {
            let offset = layout.bits.div_ceil(8).next_multiple_of(align);
            layout.bits = (offset + size).min(2 * LARGEST) * 8;
            offset
        };
        fields.push(Field { name, ty, offset, bits: None });
    }

    /// Places a bit-field: it crosses no boundary of its type.
    fn bit_field(
        &mut self,
        name: String,
        ty: Type,
        width: &tree::Expr,
        wish: Wish,
        layout: &mut Layout,
        fields: &mut Vec<Field>,
    ) {
        let Some(value) = self.constant_int(width, "the width of a bit-field") else { return };
        let most = match &ty {
            Type::Bool => 1,
            _ => self.types.size(&ty).unwrap_or(0) * 8,
        };
        let width = match u64::try_from(value) {
            Ok(bits) if is_integer(&ty) && bits <= most && (bits > 0 || name.is_empty()) => bits,
            _ => {
                let spelt = self.spell(&ty);
                self.error(
                    width.span,
                    format!("a bit-field of `{spelt}` cannot have {value} bits"),
                );
                return;
            }
        };
        // `#pragma pack` moves bit-fields together, too.
        let packed = wish.most < self.types.align(&ty);
        let size = self.types.size(&ty).unwrap_or(1) * 8;
        let unit = self.types.align(&ty) * 8;
        if width == 0 {
            if !layout.is_union {
                layout.bits = layout.bits.next_multiple_of(unit);
            }
            return;
        }
        let start = if layout.is_union { 0 } else { layout.bits };
        let crosses = (start % unit + width).div_ceil(unit) > size / unit;
        let start = if crosses && !packed { start.next_multiple_of(unit) } else { start };
        if layout.is_union {
            layout.widest = layout.widest.max(width);
        } else {
            layout.bits = (start + width).min(16 * LARGEST);
        }
        if !name.is_empty() {
            layout.align = layout.align.max((unit / 8).min(wish.most));
            let bits = u32::try_from(width).ok();
            fields.push(Field { name, ty, offset: start / size * (size / 8), bits });
        }
    }

    /// What alignments ask for, in bytes; nothing if they say nothing.
    fn aligned(&mut self, alignments: &[Alignment]) -> Option<u64> {
        let mut most = None;
        for alignment in alignments {
            let bytes = match alignment {
                Alignment::Most => Some(MOST_ALIGNED),
                Alignment::Bytes(expr) => self
                    .constant_int(expr, "an alignment")
                    .and_then(|bytes| u64::try_from(bytes).ok())
                    .filter(|bytes| bytes.is_power_of_two() && *bytes <= 1 << 28),
                Alignment::Of(name) => self.type_name(name).map(|ty| self.types.align(&ty)),
            };
            most = most.max(bytes);
        }
        most
    }
}

/// The largest alignment of members that `#pragma pack` allows.
fn pack(attributes: &[tree::Name]) -> Option<u64> {
    attributes.iter().find_map(|attribute| argument(&attribute.text, "pack")?.parse().ok())
}
